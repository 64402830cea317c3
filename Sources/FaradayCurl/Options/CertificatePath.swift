internal import CCurl
internal import FaradayCore

/// The path of a file or folder of certificates or keys, spelled differently for each version of the file.
///
/// libcurl identifies these files by their paths. It keeps parsed authorities for 24 hours, resumes TLS sessions without another
/// verification, and uses kept connections. With another spelling, a file that was replaced is another file for all three. The
/// spellings differ in the `/` and `.` before the path, which the file system ignores.
enum CertificatePath {
  /// The path as libcurl gets it. It costs a system call for each file.
  ///
  /// - Parameter other: a file that belongs to it, such as the key of a certificate.
  static func current(_ path: String, with other: String? = nil) -> String {
    let version = faraday_file_version(path)
    guard version != 0 else { return path }
    let isAbsolute = path.hasPrefix("/")
    var text = isAbsolute ? "//" : "/./"
    text.reserveCapacity(text.utf8.count + numbers.count + path.utf8.count)
    // As a sum of Fibonacci numbers, no two of which are neighbors, so that no two dots are: `..` would be another folder.
    var rest = (other.map { version ^ faraday_file_version($0).byteSwapped } ?? version) % modulus
    for number in numbers {
      text += rest < number ? "/" : "."
      if rest >= number { rest -= number }
    }
    // libcurl 8.12 and newer resolve a relative path.
    return text + (isAbsolute ? path : FileManager.default.currentDirectoryPath + "/" + path)
  }

  /// A message of libcurl's in which paths are spelled as the caller did.
  static func plain(_ message: String) -> String {
    guard message.contains("//") || message.contains("/./") else { return message }
    let folder = FileManager.default.currentDirectoryPath + "/"
    return message.replacing(#/\/(\.?)\/[\/.]{31}(\/[^\s,]*)/#) { match in
      let path = match.2
      return match.1.isEmpty || !path.hasPrefix(folder) ? path : path.dropFirst(folder.count)
    }
  }

  /// 31 Fibonacci numbers, the largest first: with the two or three characters before them they are short enough for libcurl's
  /// messages, which have 256 characters.
  private static let numbers: [UInt32] = {
    var numbers: [UInt32] = [1, 2]
    while numbers.count < 31 { numbers.append(numbers[numbers.count - 1] + numbers[numbers.count - 2]) }
    return numbers.reversed()
  }()

  /// The number of spellings: more than three millions.
  private static let modulus = numbers[0] + numbers[1]
}
