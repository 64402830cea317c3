/// The version of this package, which its tag repeats. `Scripts/release` reads it here.
package let packageVersion = "1.0.0"
