//! Which local variables still matter at a place in the code.
//!
//! A variable is dead where every path overwrites it before reading it. Dead variables are set
//! to 0 in local states, so that states which cannot be told apart by anything that follows are
//! one state. The classical backward data-flow analysis, one bit for each place and variable.

use super::code::{Code, Instr, Pc, Slot};

/// The largest table that is worth its memory; beyond it every variable counts as live.
const MAX_BITS: usize = 1 << 28;

/// The result of the analysis.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// One row of `width` words for each place, or nothing if everything counts as live.
    rows: Option<Vec<u64>>,
    width: usize,
}

impl Liveness {
    /// Analyses all handlers.
    pub fn new(code: &Code) -> Liveness {
        let slots = code.handlers.iter().map(|h| h.slots.len()).max().unwrap_or(0);
        let width = slots.div_ceil(64);
        let len = code.instrs.len();
        if len.saturating_mul(width).saturating_mul(64) > MAX_BITS {
            return Liveness { rows: None, width };
        }
        let mut rows = vec![0u64; len * width];
        let mut changed = true;
        while changed {
            changed = false;
            for pc in (0..len).rev() {
                for word in 0..width {
                    let row = |target: usize| rows.get(target * width + word).copied().unwrap_or(0);
                    let mut live = match code.instrs[pc] {
                        Instr::Return(_) | Instr::Abort | Instr::Fail(_) => 0,
                        Instr::Jump(target) => row(target as usize),
                        Instr::JumpIfZero(target) => row(target as usize) | row(pc + 1),
                        _ => row(pc + 1),
                    };
                    let bit = |slot: Slot| {
                        if slot as usize / 64 == word { 1u64 << (slot % 64) } else { 0 }
                    };
                    match code.instrs[pc] {
                        Instr::StoreLocal(slot) => live &= !bit(slot),
                        Instr::LoadLocal(slot) => live |= bit(slot),
                        _ => {}
                    }
                    let cell = &mut rows[pc * width + word];
                    changed |= *cell != live;
                    *cell = live;
                }
            }
        }
        Liveness { rows: Some(rows), width }
    }

    /// Whether the value of `slot` may be read at or after `pc`.
    pub fn is_live(&self, pc: Pc, slot: usize) -> bool {
        match &self.rows {
            Some(rows) => {
                let word = rows.get(pc as usize * self.width + slot / 64).copied().unwrap_or(0);
                word >> (slot % 64) & 1 == 1
            }
            None => true,
        }
    }
}
