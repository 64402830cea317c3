import Faraday
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// An input file named on the command line; `-` is standard input.
struct InputFile: Sendable {
  let name: String

  /// The whole contents.
  func contents() throws -> Data {
    do {
      return try OpenInput(name).readToEnd()
    } catch {
      throw CommandFailure.unreadable(name, error)
    }
  }

  /// Whether it is a regular file, which has a size and can be read twice.
  var isRegular: Bool {
    var status = stat()
    return name != "-" && stat(name, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// The contents as a stream, for a pipe that has no size.
  func pieces() throws -> InputPieces {
    do {
      return InputPieces(try OpenInput(name))
    } catch {
      throw CommandFailure.unreadable(name, error)
    }
  }
}

extension CommandFailure {
  /// An input file that cannot be read.
  static func unreadable(_ name: String, _ error: any Error) -> CommandFailure {
    CommandFailure(ExitStatus.readError, "cannot read \(name): \(error)")
  }
}
