//! Why a certificate is not accepted.

use ser_base::Stop;
use thiserror::Error;

/// What is wrong with a certificate.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs)]
pub enum Rejection {
    #[error("it has {found} levels, but there are {transactions} transactions")]
    Levels { found: usize, transactions: usize },
    #[error("it is about other levels")]
    OtherLevels,
    #[error("transaction {transaction} has a statement that no proof covers: {reason}")]
    Outside { transaction: usize, reason: &'static str },
    #[error("dependency {number} is missing, wrong or not in its place")]
    Dependency { number: usize },
    #[error("it has {surplus} dependencies that do not exist")]
    MoreDependencies { surplus: usize },
    #[error("chains {number} are missing, or not those of the split that comes next")]
    Split { number: usize },
    #[error("it has {surplus} lists of chains for splits that do not exist")]
    MoreSplits { surplus: usize },
    #[error("chains {number} name an operation or a value that does not exist")]
    Place { number: usize },
    #[error("chains {number} are not closed: operation {operation} can be reached, too")]
    Open { number: usize, operation: u32 },
    #[error("chains {number} close: there is a cycle through operation {operation}")]
    Cycle { number: usize, operation: u32 },
    #[error("not checked to the end: {0}")]
    Stopped(#[from] Stop),
}
