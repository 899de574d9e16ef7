//! Servers and databases.

use crate::ServerError;
use crate::client::Client;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A server that runs.
#[derive(Debug)]
pub struct Server {
    /// How `psql` finds it, without a database.
    connection: Connection,
    own: Option<Own>,
}

#[derive(Clone, Debug)]
enum Connection {
    /// The folder of its socket.
    Socket(PathBuf),
    /// As a user wrote it.
    Url(String),
}

/// A server that was started for the purpose: it lives as long as its keeper's input is open.
#[derive(Debug)]
struct Own {
    keeper: Child,
}

/// Starts a server, says so, and ends it when nobody holds the other end of the input any more:
/// also when that one was killed.
const KEEPER: &str = r#"
folder=$1 bin=$2
trap '' INT TERM HUP
"$bin/initdb" -D "$folder/data" -U ser --locale=C -E UTF8 -A trust --no-sync >"$folder/log" 2>&1 || { echo failed; exit 1; }
"$bin/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= -c fsync=off -c autovacuum=off \
    -c deadlock_timeout=10ms -c max_connections=40 -c shared_buffers=16MB -c max_pred_locks_per_transaction=64 >>"$folder/log" 2>&1 </dev/null &
server=$!
tries=0
until "$bin/pg_isready" -q -h "$folder"; do
    tries=$((tries + 1))
    if [ $tries -gt 200 ] || ! kill -0 $server 2>/dev/null; then echo failed; exit 1; fi
    sleep 0.05
done
echo ready
read -r _
kill -QUIT $server 2>/dev/null
wait $server 2>/dev/null
cd /
rm -rf "$folder"
"#;

/// Who owns a server of our own; the keeper says so, too.
const USER: &str = "ser";

/// Tells databases of one process apart.
static NUMBER: AtomicU32 = AtomicU32::new(0);

impl Server {
    /// Starts a server that nobody else knows, in a folder of its own.
    pub fn temporary() -> Result<Server, ServerError> {
        let bin = programs().ok_or(ServerError::NoServer)?;
        // Otherwise the server would be started for nothing.
        Client::is_there()?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("ser-postgres-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let not_started = |why: String| ServerError::NotStarted(why);
        std::fs::create_dir(&folder).map_err(|error| not_started(error.to_string()))?;
        let mut command = match another_user(&folder) {
            // PostgreSQL does not run as root.
            Some(user) => {
                let mut command = Command::new("runuser");
                command.args(["-u", &user, "--"]).arg("sh");
                command
            }
            None => Command::new("sh"),
        };
        command.args(["-c", KEEPER, "keeper"]).arg(&folder).arg(&bin).current_dir(&folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut keeper = command.spawn().map_err(|error| {
            let _ = std::fs::remove_dir_all(&folder);
            not_started(error.to_string())
        })?;
        let mut line = String::new();
        if let Some(output) = keeper.stdout.take() {
            let _ = BufReader::new(output).read_line(&mut line);
        }
        let own = Own { keeper };
        let server = Server { connection: Connection::Socket(folder.clone()), own: Some(own) };
        if line.trim() != "ready" {
            let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
            let last = log.lines().last().unwrap_or("it says nothing").trim().to_owned();
            return Err(not_started(last));
        }
        Ok(server)
    }

    /// A server for a test, which is skipped without one, and says so; with `SER_REQUIRE_POSTGRES`
    /// in the environment there has to be one.
    #[doc(hidden)]
    #[allow(clippy::print_stderr, clippy::panic)]
    pub fn for_a_test() -> Option<Server> {
        match Server::temporary() {
            Ok(server) => Some(server),
            Err(error @ (ServerError::NoServer | ServerError::NoClient))
                if std::env::var_os("SER_REQUIRE_POSTGRES").is_none() =>
            {
                eprintln!("skipped: {error}");
                None
            }
            Err(error) => panic!("a server is needed: {error}"),
        }
    }

    /// A server that a user names as `psql` understands it: `postgresql://...`, or `host=...
    /// user=...`.
    pub fn at(url: &str) -> Server {
        Server { connection: Connection::Url(url.to_owned()), own: None }
    }

    /// Whether it was started for the purpose.
    pub fn is_own(&self) -> bool {
        self.own.is_some()
    }

    /// What [`Server::at`] and `psql` find it by.
    pub fn url(&self) -> String {
        match &self.connection {
            Connection::Socket(folder) => {
                format!("host={} user={USER} dbname=postgres", folder.display())
            }
            Connection::Url(url) => url.clone(),
        }
    }

    /// A session outside of databases of ours.
    pub fn client(&self) -> Result<Client, ServerError> {
        Client::connect(&self.arguments(None))
    }

    /// A new database, which is dropped when it is no longer needed.
    pub fn database(&self) -> Result<Database<'_>, ServerError> {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("ser_replay_{}_{number}", std::process::id());
        let mut client = self.client()?;
        client.run(&format!("CREATE DATABASE {name} TEMPLATE template0"))?;
        Ok(Database { server: self, name, client })
    }

    fn arguments(&self, database: Option<&str>) -> Vec<String> {
        match &self.connection {
            Connection::Socket(folder) => {
                let folder = folder.display().to_string();
                let database = database.unwrap_or("postgres").to_owned();
                ["--host", &folder, "--username", USER, "--dbname", &database]
                    .map(str::to_owned)
                    .into()
            }
            Connection::Url(url) => {
                let mut all = vec!["--dbname".to_owned(), url.clone()];
                if let Some(database) = database {
                    // A later one replaces the database of the first, and keeps everything else.
                    all = vec!["--dbname".to_owned(), with_database(url, database)];
                }
                all
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let Some(own) = &mut self.own else { return };
        // The keeper sees the end of its input.
        drop(own.keeper.stdin.take());
        let _ = own.keeper.wait();
        if let Connection::Socket(folder) = &self.connection {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// A database of its own for a run.
#[derive(Debug)]
pub struct Database<'s> {
    server: &'s Server,
    name: String,
    /// Outside of the database.
    client: Client,
}

impl Database<'_> {
    pub fn client(&self) -> Result<Client, ServerError> {
        Client::connect(&self.server.arguments(Some(&self.name)))
    }
}

impl Drop for Database<'_> {
    fn drop(&mut self) {
        let _ = self
            .client
            .ask_and_wait(&format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name));
    }
}

/// The same server, another database.
fn with_database(url: &str, database: &str) -> String {
    let Some(rest) = url.strip_prefix("postgresql://").or_else(|| url.strip_prefix("postgres://"))
    else {
        return format!("{url} dbname={database}");
    };
    let (place, options) = match rest.split_once('?') {
        Some((place, options)) => (place, format!("?{options}")),
        None => (rest, String::new()),
    };
    let host = place.split('/').next().unwrap_or_default();
    format!("postgresql://{host}/{database}{options}")
}

/// The folder of the newest server's programs.
fn programs() -> Option<PathBuf> {
    let named = std::env::var_os("SER_POSTGRES_BIN").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut all: Vec<PathBuf> = named.into_iter().collect();
    for base in ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"] {
        let mut here: Vec<PathBuf> = std::fs::read_dir(base)
            .into_iter()
            .flatten()
            .flatten()
            .map(|it| it.path().join("bin"))
            .collect();
        here.sort_by_key(|it| std::cmp::Reverse(version(it)));
        all.extend(here);
    }
    all.extend(std::env::split_paths(&path));
    all.into_iter().find(|it| it.join("initdb").is_file() && it.join("postgres").is_file())
}

/// `15` of `/usr/lib/postgresql/15/bin`.
fn version(bin: &Path) -> u32 {
    let name = bin.parent().and_then(Path::file_name).and_then(|it| it.to_str()).unwrap_or("");
    name.trim_start_matches("postgresql@").parse().unwrap_or(0)
}

/// For root: the user under whom the server runs, who then owns the folder.
fn another_user(folder: &Path) -> Option<String> {
    let id = Command::new("id").arg("-u").output().ok()?;
    if String::from_utf8_lossy(&id.stdout).trim() != "0" {
        return None;
    }
    let runs = |command: &mut Command| {
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|it| it.success())
    };
    let users = ["postgres", "nobody"].into_iter();
    let mut users = users.filter(|user| runs(Command::new("chown").arg(user).arg(folder)));
    users.next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_of_a_url_is_replaced() {
        let replaced = |url| with_database(url, "d");
        assert_eq!(
            replaced("postgres://u:p@h:1/app?sslmode=require"),
            "postgresql://u:p@h:1/d?sslmode=require"
        );
        assert_eq!(replaced("postgresql://u@h"), "postgresql://u@h/d");
        assert_eq!(replaced("host=h user=u"), "host=h user=u dbname=d");
    }

    #[test]
    fn a_server_of_our_own_comes_and_goes() {
        let Some(server) = Server::for_a_test() else { return };
        let Connection::Socket(folder) = server.connection.clone() else {
            panic!("its own socket")
        };
        let database = server.database().expect("a database");
        let mut one = database.client().expect("a client");
        let mut other = database.client().expect("a client");
        one.run("CREATE TABLE t (a int)").expect("a table");
        one.run("BEGIN").expect("begins");
        one.run("LOCK TABLE t").expect("locks");
        other.ask("SELECT count(*) FROM t").expect("asks");
        assert_eq!(other.answer(std::time::Duration::from_millis(50)), Ok(None));
        one.run("COMMIT").expect("commits");
        let answer =
            other.answer(std::time::Duration::from_secs(5)).expect("lives").expect("answers");
        assert_eq!(answer.rows, [[Some("0".to_owned())]]);
        let failed = one.ask_and_wait("SELECT 1/0").expect("lives");
        assert_eq!(failed.error.map(|it| it.0), Some("22012".to_owned()));
        drop((one, other));
        drop(database);
        drop(server);
        assert!(!folder.exists());
    }

    #[test]
    fn a_server_that_dies_is_told() {
        let Some(mut server) = Server::for_a_test() else { return };
        let mut client = server.client().expect("a client");
        client.ask("SELECT pg_sleep(60)").expect("asks");
        let own = server.own.as_mut().expect("a server of our own");
        drop(own.keeper.stdin.take());
        own.keeper.wait().expect("it ends");
        let answer = client.answer(std::time::Duration::from_secs(10));
        assert!(matches!(&answer, Err(ServerError::Lost(why)) if !why.is_empty()), "{answer:?}");
        let answer = client.ask_and_wait("SELECT 1");
        assert!(matches!(answer, Err(ServerError::Lost(_))), "{answer:?}");
        assert!(matches!(server.client(), Err(ServerError::Refused(_))));
        assert!(server.database().is_err());
    }
}
