import Faraday
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What the options say about the file of a body, beside its name.
struct OutputRules: Equatable, Sendable {
  /// Whether a file that exists is replaced.
  enum Clobber: Sendable {
    /// Yes, unless the server has named it.
    case unlessNamedByServer
    /// `--clobber`
    case always
    /// `--no-clobber`: `name.1`, `name.2` and so on are tried.
    case never
  }

  var clobber = Clobber.unlessNamedByServer
  /// `--output-dir`; nil for none.
  var folder: String?
  /// `--create-dirs`
  var createsFolders = false
  /// `--remove-on-error`
  var removesOnError = false
  /// `-J`: whether the server may name the file.
  var isNamedByServer = false
  /// `-C`: the size that the file has, behind which the body is appended; nil for a file from the start.
  var resumesAt: Int64?
  /// `--max-filesize`, in bytes.
  var maximumSize: Int64?
}

/// Opens files of bodies.
enum OutputFile {
  /// Opens a file to write, and returns its name, which may be another one. Throws a ``SystemError``.
  static func open(_ path: String, _ rules: OutputRules, isNamedByServer: Bool) throws -> (descriptor: Descriptor, path: String) {
    if rules.createsFolders { try createFolders(of: path) }
    if let size = rules.resumesAt, size > 0, !isNamedByServer { return (try open(path, O_APPEND), path) }
    let replaces = rules.clobber == .always || rules.clobber == .unlessNamedByServer && !isNamedByServer
    if replaces { return (try open(path, O_TRUNC), path) }
    // A name of the server's must not be followed to where a link leads.
    let careful = O_EXCL | (isNamedByServer ? O_NOFOLLOW : 0)
    guard rules.clobber == .never else { return (try open(path, careful), path) }
    for number in 0..<100 {
      let name = number == 0 ? path : "\(path).\(number)"
      do {
        return (try open(name, careful), name)
      } catch {
        guard error.number == EEXIST || error.number == EISDIR else { throw error }
      }
    }
    throw SystemError(number: EEXIST)
  }

  private static func open(_ path: String, _ flags: Int32) throws(SystemError) -> Descriptor {
    #if canImport(Glibc)
    let number = Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0o666)
    #else
    let number = Darwin.open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0o666)
    #endif
    guard number >= 0 else { throw SystemError() }
    return Descriptor(number: number)
  }

  /// Creates the folders that a path names and that are not there.
  static func createFolders(of path: String) throws {
    var folder = path.hasPrefix("/") ? "/" : ""
    for name in path.split(separator: "/").dropLast() {
      folder += folder.isEmpty || folder.hasSuffix("/") ? name : "/" + name
      if mkdir(folder, 0o750) != 0, errno != EEXIST, errno != EISDIR, errno != EROFS {
        throw SystemError()
      }
    }
  }

  /// A path within a folder.
  static func path(_ name: String, in folder: String?) -> String {
    guard let folder, !folder.isEmpty else { return name }
    return "\(folder)/\(name)"
  }

  /// The size of a file, for `-C -`; 0 if there is none.
  static func size(of path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}

/// The filename of a `Content-Disposition` (RFC 6266), for `-J`.
enum ContentDisposition {
  /// The filename in a response's head; nil if there is none that can be one. Only what follows the last slash and backslash is
  /// taken, so that a server names a file and no place. `filename*` is not read: curl does not either.
  static func filename(inHead head: Data) -> String? {
    for line in head.split(separator: 0x0A) {
      let name = "content-disposition:"
      guard line.prefix(name.utf8.count).elementsEqual(name.utf8, by: { $0 | 0x20 == $1 || $0 == $1 }) else { continue }
      return filename(inValue: line.dropFirst(name.utf8.count))
    }
    return nil
  }

  private static func filename(inValue value: Data) -> String? {
    var rest = value[...]
    let key = Array("filename=".utf8)
    while true {
      rest = rest.drop { !(0x61...0x7A).contains($0 | 0x20) }
      guard rest.count >= key.count else { return nil }
      if rest.starts(with: key) { break }
      rest = rest.drop { $0 != UInt8(ascii: ";") }
    }
    rest = rest.dropFirst(key.count)
    var end = UInt8(ascii: ";")
    if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      end = quote
      rest = rest.dropFirst()
    }
    let path = rest.prefix { $0 != end && $0 != 0x0D && $0 != 0 }
    let name = path.suffix(
      from: path.lastIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }.map { $0 + 1 } ?? path.startIndex)
    let text = String(decoding: name, as: UTF8.self)
    // The folder itself, and what a terminal would interpret, are no names of files.
    guard !text.isEmpty, text != ".", text != "..",
      !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else { return nil }
    return text
  }
}
