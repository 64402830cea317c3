#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The bytes of the command's arguments. `CommandLine.arguments` replaces those that are not UTF-8.
enum ArgumentBytes {
  /// The bytes of a text that is an argument or, behind the name of an option, the end of one. If several arguments have the same
  /// text, the bytes of the first.
  static func of(_ text: String) -> [UInt8] {
    guard text.unicodeScalars.contains("\u{FFFD}") else { return Array(text.utf8) }
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = CommandLine.unsafeArgv[index] else { continue }
      let bytes = UnsafeRawBufferPointer(start: argument, count: strlen(argument))
      for start in bytes.indices where String(decoding: bytes[start...], as: UTF8.self).utf8.elementsEqual(text.utf8) {
        return Array(bytes[start...])
      }
    }
    return Array(text.utf8)
  }
}
