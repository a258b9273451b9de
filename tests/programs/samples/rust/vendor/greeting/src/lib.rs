//! The vendored dependency.

/// Greets by name.
pub fn to(name: &str) -> String {
    format!("hello {name}")
}
