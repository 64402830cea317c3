internal import CCurl
internal import FaradayCore

/// The path of a file or folder of certificates or keys, spelled differently for each version of the file.
///
/// libcurl identifies these files by their paths. It keeps parsed authorities for 24 hours, resumes TLS sessions without another
/// verification, and uses kept connections. With another spelling, a file that was replaced is another file for all three. The
/// spellings differ in the `/` and `/.` before the path, which the file system ignores.
enum CertificatePath {
  /// The path as libcurl gets it. It costs a system call for each file.
  ///
  /// - Parameter other: a file that belongs to it, such as the key of a certificate.
  static func current(_ path: String, with other: String? = nil) -> String {
    let version = faraday_file_version(path)
    // libcurl could take a name without a slash for a certificate in a store.
    guard version != 0 else { return path.contains("/") ? path : "./" + path }
    let spelling = other.map { version ^ faraday_file_version($0).byteSwapped } ?? version
    // libcurl 8.12 and newer resolve a relative path.
    let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    var text = ""
    text.reserveCapacity(2 * bits + absolute.utf8.count)
    for bit in 0..<UInt32(bits) { text += spelling >> bit & 1 == 0 ? "/" : "/." }
    return text + absolute
  }

  /// A message of libcurl's in which paths are spelled as usual.
  static func plain(_ message: String) -> String {
    guard message.contains("//") || message.contains("/./") else { return message }
    return message.replacing(#/(\/\.?){32}(?=\/)/#, with: "")
  }

  private static let bits = 32
}
