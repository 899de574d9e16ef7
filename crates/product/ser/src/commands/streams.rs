//! Standard output and standard error, for readers that may leave.
//!
//! The reader of our output may stop early (`ser check *.ser | head -1`). That is not an error
//! and changes nothing about the answer: the rest is not printed, and the exit code is the
//! same. A full disk is another matter: output that should be kept is lost, which is an
//! error. Messages on standard error are for people. If they cannot be printed, they are
//! lost.

use super::guard::Guard;
use anstream::AutoStream;
use std::io::{self, ErrorKind, Stderr, StdoutLock, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the reader of standard output is gone.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether the reader of standard output is gone.
pub fn nobody_listens() -> bool {
    IS_CLOSED.load(Ordering::Relaxed)
}

/// Standard output for people: with colours where requested.
pub fn out() -> Out<Guard<AutoStream<StdoutLock<'static>>>> {
    Out(Guard::new(anstream::stdout().lock()))
}

/// Standard output for programs: byte for byte.
pub fn plain_out() -> Out<StdoutLock<'static>> {
    Out(io::stdout().lock())
}

/// Standard error, for messages.
pub fn err() -> Messages {
    Messages(Guard::new(anstream::stderr()))
}

/// Standard output that may be closed by its reader.
pub struct Out<W: Write>(W);

impl<W: Write> Write for Out<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        heard_enough(self.0.write(bytes), bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        heard_enough(self.0.write_all(bytes), ())
    }

    fn flush(&mut self) -> io::Result<()> {
        heard_enough(self.0.flush(), ())
    }
}

/// A result that ignores that its reader is gone.
fn heard_enough<T>(result: io::Result<T>, done: T) -> io::Result<T> {
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            IS_CLOSED.store(true, Ordering::Relaxed);
            Ok(done)
        }
        result => result,
    }
}

/// Standard error that may not be there.
pub struct Messages(Guard<AutoStream<Stderr>>);

impl Write for Messages {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(self.0.write(bytes).unwrap_or(bytes.len()))
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let _ = self.0.write_all(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = self.0.flush();
        Ok(())
    }
}
