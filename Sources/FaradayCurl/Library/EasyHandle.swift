internal import CCurl
@_spi(Adapters) internal import FaradayCore
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// A libcurl easy handle with typed setters, which throw an error that names the option.
struct EasyHandle {
  let pointer: UnsafeMutableRawPointer

  /// An option that libcurl has rejected.
  struct OptionRejected: Error {
    let option: String
    let code: CURLcode
  }

  func set(_ option: CURLoption, _ value: Int) throws(OptionRejected) {
    try check(faraday_set_long(pointer, option, value), option)
  }

  func set(_ option: CURLoption, offset value: Int64) throws(OptionRejected) {
    try check(faraday_set_offset(pointer, option, value), option)
  }

  /// Sets a string option; libcurl copies the string. Nil is NULL, whose meaning depends on the option. A string with a NUL
  /// character, which C would truncate, is rejected.
  func set(_ option: CURLoption, _ value: String?) throws(OptionRejected) {
    guard let value else { return try check(faraday_set_string(pointer, option, nil), option) }
    let code = value.withCString { text in
      strlen(text) == value.utf8.count ? faraday_set_string(pointer, option, text) : CURLE_BAD_FUNCTION_ARGUMENT
    }
    try check(code, option)
  }

  func set(_ option: CURLoption, _ value: UnsafeRawPointer?) throws(OptionRejected) {
    try check(faraday_set_pointer(pointer, option, value), option)
  }

  /// Sets an option whose value is bytes, which libcurl copies.
  func set(_ option: CURLoption, bytes: Data) throws(OptionRejected) {
    let code = bytes.withUnsafeBytes { faraday_set_blob(pointer, option, $0.baseAddress, $0.count) }
    try check(code, option)
  }

  func check(_ code: CURLcode, _ option: CURLoption) throws(OptionRejected) {
    guard code != CURLE_OK else { return }
    let name = curl_easy_option_by_id(option).map { String(cString: $0.pointee.name) }
    throw OptionRejected(option: "CURLOPT_" + (name ?? String(option.rawValue)), code: code)
  }

  func get(_ info: CURLINFO) -> Int {
    var value = 0
    return faraday_get_long(pointer, info, &value) == CURLE_OK ? value : 0
  }

  /// The socket of the connection; -1 if there is none.
  var activeSocket: Int32 {
    var descriptor = faraday_bad_socket
    return faraday_get_socket(pointer, &descriptor) == CURLE_OK ? descriptor : faraday_bad_socket
  }

  func get(offset info: CURLINFO) -> Int64 {
    var value: Int64 = 0
    return faraday_get_offset(pointer, info, &value) == CURLE_OK ? value : 0
  }
}
