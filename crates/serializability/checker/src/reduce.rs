//! The reductions of a certificate, in their order, each checked on the net that the ones before
//! it have left.
//!
//! *Theorem.* The reduced net has the outcomes of the network system. *Proof.* The normal form has
//! them (see `net`), and each reduction keeps them (see `slice`, `stuttering`, `merge`, `exclude`,
//! `mover`, `deferral` and `prophecy`). ∎

use crate::deferral::defer;
use crate::exclude::exclude;
use crate::format::Reduction;
use crate::merge::merge;
use crate::meter::Meter;
use crate::mover::eliminate;
use crate::names::Names;
use crate::net::{Net, normal_form};
use crate::prophecy::foresee;
use crate::reject::At;
use crate::slice::slice;
use crate::stuttering::without_stuttering;
use crate::{Reason, Rejection};

/// The normal form after the reductions.
pub(crate) fn reduced_net(
    reductions: &[Reduction],
    names: &Names<'_>,
    meter: &mut Meter<'_>,
) -> Result<Net, Rejection> {
    let mut net = normal_form(names.system(), meter).at(|| "normal form".into())?;
    for (i, reduction) in reductions.iter().enumerate() {
        let place = || format!("reductions[{i}]");
        let size = net.transitions().len();
        meter.work(size.saturating_add(1)).at(place)?;
        net = match reduction {
            // It is about the network system and not about the net, and has been checked there.
            Reduction::Alike(_) if i == 0 => net,
            Reduction::Alike(_) => return Err(Reason::AlikeFirst.at(place())),
            Reduction::Slice => slice(&net, meter).at(place)?,
            Reduction::Stuttering => without_stuttering(&net, meter).at(place)?,
            Reduction::Merge(groups) => merge(&net, groups, names, meter, &place())?,
            Reduction::Exclude => exclude(&net, meter).at(place)?,
            Reduction::Prophecy => foresee(&net, names, meter).at(place)?,
            Reduction::Defer(entry) => {
                defer(&net, entry, names, meter).at(|| format!("{}.defer", place()))?
            }
            Reduction::Move(entry) => {
                eliminate(&net, entry, names, meter).at(|| format!("{}.move", place()))?
            }
        };
    }
    Ok(net)
}
