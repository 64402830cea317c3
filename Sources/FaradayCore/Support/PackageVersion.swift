/// The version of this package.
package let packageVersion = "0.1"
