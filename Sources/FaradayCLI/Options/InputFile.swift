import Faraday
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file named on the command line to be read, `-` being standard input.
struct InputFile: Sendable {
  let name: String

  /// All of it.
  func contents() throws -> Data {
    do {
      return try OpenInput(name).readToEnd()
    } catch {
      throw CommandFailure(ExitStatus.readError, "cannot read \(name): \(error)")
    }
  }

  /// Whether it is a regular file: one with a size, that can be read twice.
  var isRegular: Bool {
    var status = stat()
    return name != "-" && stat(name, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Its bytes as they come, for a pipe that has no size.
  func pieces() throws -> InputPieces {
    do {
      return InputPieces(input: try OpenInput(name))
    } catch {
      throw CommandFailure(ExitStatus.readError, "cannot read \(name): \(error)")
    }
  }
}
