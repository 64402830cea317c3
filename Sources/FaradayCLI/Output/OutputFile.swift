import Faraday

/// The options for the file of a body, besides its name.
struct OutputRules: Equatable, Sendable {
  /// Whether an existing file is replaced.
  enum Clobber: Sendable {
    /// Yes, unless the server has named it.
    case unlessNamedByServer
    /// `--clobber`
    case always
    /// `--no-clobber`: uses the first free name of `name`, `name.1`, `name.2` and so on.
    case never
  }

  var clobber = Clobber.unlessNamedByServer
  /// `--output-dir`; nil without the option.
  var folder: String?
  /// `--create-dirs`
  var createsFolders = false
  /// `--remove-on-error`
  var removesOnError = false
  /// `-J`: whether the server may name the file.
  var isNamedByServer = false
  /// `-C`: the size of the existing file, to which the body is appended; nil to write the file from the start.
  var resumesAt: Int64?
  /// `--max-filesize`, in bytes.
  var maximumSize: Int64?
}

/// Opens files of bodies.
enum OutputFile {
  /// Opens a file for writing. Returns its path, which may differ from `path`. Throws a ``SystemError``.
  static func open(_ path: String, _ rules: OutputRules, isNamedByServer: Bool) throws -> (descriptor: Descriptor, path: String) {
    if rules.createsFolders { try createFolders(of: path) }
    if let size = rules.resumesAt, size > 0, !isNamedByServer { return (try open(path, O_APPEND), path) }
    let replaces = rules.clobber == .always || rules.clobber == .unlessNamedByServer && !isNamedByServer
    if replaces { return (try open(path, O_TRUNC), path) }
    // A filename from the server must not follow a symbolic link.
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
    let number = systemOpen(path, O_WRONLY | O_CREAT | flags)
    guard number >= 0 else { throw SystemError() }
    return Descriptor(number: number)
  }

  /// Creates the missing folders of a path.
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

  /// Returns the size of a file, for `-C -`; 0 if there is no file.
  static func size(of path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}

/// The filename of a `Content-Disposition` (RFC 6266), for `-J`.
enum ContentDisposition {
  /// Returns the filename in a response's head; nil if there is no valid one. Only the part after the last slash or backslash
  /// is used, so that a server cannot choose a folder. As in curl, `filename*` is ignored.
  static func filename(inHead head: Data) -> String? {
    let name = Data("content-disposition:".utf8)
    // A line ends at LF only (RFC 9112, section 2.2): another separator is a part of a field's value.
    let line = head.split(separator: 0x0A).first { $0.prefix(name.count).map { $0 | 0x20 }.elementsEqual(name.map { $0 | 0x20 }) }
    let parameter = #/(?:^|;)[^;A-Za-z]*filename=(?:"([^"]*)|'([^']*)|([^;]*))/#.matchingSemantics(.unicodeScalar)
    guard let line, case let value = line.dropFirst(name.count),
      let match = String(decoding: value.last == 0x0D ? value.dropLast() : value, as: UTF8.self).firstMatch(of: parameter)
    else { return nil }
    let path = match.1 ?? match.2 ?? match.3 ?? ""
    // Searches bytes, because a `Character` joins a slash with a combining accent behind it.
    let slash = path.utf8.lastIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
    let text = String(path[(slash.map { path.utf8.index(after: $0) } ?? path.startIndex)...])
    // The name of a folder and control characters make a filename invalid.
    guard !text.isEmpty, text != ".", text != "..",
      !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else { return nil }
    return text
  }
}

/// `-R`: sets the time of a file to the response's `Last-Modified`.
enum RemoteTime {
  static func set(of path: String, to response: Response?) {
    guard let text = response?.headers[.lastModified], let seconds = DateArgument.seconds(text) else { return }
    let time = timespec(tv_sec: seconds, tv_nsec: 0)
    _ = [time, time].withUnsafeBufferPointer { utimensat(AT_FDCWD, path, $0.baseAddress, 0) }
  }
}
