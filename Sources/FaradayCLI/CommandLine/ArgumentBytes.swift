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
    let arguments = (0..<Int(CommandLine.argc)).compactMap { index in
      CommandLine.unsafeArgv[index].map { UnsafeRawBufferPointer(start: $0, count: strlen($0)) }
    }
    func isText(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
      String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(text.utf8)
    }
    if let whole = arguments.first(where: { isText($0[...]) }) { return Array(whole) }
    for argument in arguments where argument.first == UInt8(ascii: "-") {
      if let start = argument.indices.first(where: { isText(argument[$0...]) }) { return Array(argument[start...]) }
    }
    return Array(text.utf8)
  }
}
