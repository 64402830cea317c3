#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The functions of OpenSSL that a server needs, from the library that the system has: no dependency, and nothing to build.
struct OpenSSL: Sendable {
  typealias Pointer = UnsafeMutableRawPointer
  /// The callback that selects one of the protocols that a client offers.
  typealias ChooseProtocol =
    @convention(c) (
      Pointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?, UnsafePointer<UInt8>?, UInt32,
      Pointer?
    ) -> Int32

  static let shared = Result { try OpenSSL() }

  let serverMethod: @convention(c) () -> Pointer?
  let newContext: @convention(c) (Pointer?) -> Pointer?
  let freeContext: @convention(c) (Pointer?) -> Void
  let useCertificate: @convention(c) (Pointer?, UnsafePointer<CChar>?) -> Int32
  let useKey: @convention(c) (Pointer?, UnsafePointer<CChar>?, Int32) -> Int32
  let setProtocolChoice: @convention(c) (Pointer?, ChooseProtocol?, Pointer?) -> Void
  let newSession: @convention(c) (Pointer?) -> Pointer?
  let freeSession: @convention(c) (Pointer?) -> Void
  let setBuffers: @convention(c) (Pointer?, Pointer?, Pointer?) -> Void
  let accept: @convention(c) (Pointer?) -> Int32
  let read: @convention(c) (Pointer?, Pointer?, Int32) -> Int32
  let write: @convention(c) (Pointer?, UnsafeRawPointer?, Int32) -> Int32
  let shutdown: @convention(c) (Pointer?) -> Int32
  let error: @convention(c) (Pointer?, Int32) -> Int32
  let clearErrors: @convention(c) () -> Void
  let memoryMethod: @convention(c) () -> Pointer?
  let newBuffer: @convention(c) (Pointer?) -> Pointer?
  let readBuffer: @convention(c) (Pointer?, Pointer?, Int32) -> Int32
  let writeBuffer: @convention(c) (Pointer?, UnsafeRawPointer?, Int32) -> Int32

  private static let names = [
    "libssl.so.3", "libssl.so.1.1", "libssl.so", "/opt/homebrew/opt/openssl@3/lib/libssl.dylib",
    "/usr/local/opt/openssl@3/lib/libssl.dylib",
  ]

  private init() throws {
    guard let library = Self.names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else {
      throw ServerNotStarted(program: "OpenSSL", output: "there is no \(Self.names[0])")
    }
    // Functions of libcrypto are found too: libssl depends on it.
    func function<Function>(_ name: String) throws -> Function {
      guard let address = dlsym(library, name) else {
        throw ServerNotStarted(program: "OpenSSL", output: "there is no \(name)")
      }
      return unsafeBitCast(address, to: Function.self)
    }
    serverMethod = try function("TLS_server_method")
    newContext = try function("SSL_CTX_new")
    freeContext = try function("SSL_CTX_free")
    useCertificate = try function("SSL_CTX_use_certificate_chain_file")
    useKey = try function("SSL_CTX_use_PrivateKey_file")
    setProtocolChoice = try function("SSL_CTX_set_alpn_select_cb")
    newSession = try function("SSL_new")
    freeSession = try function("SSL_free")
    setBuffers = try function("SSL_set_bio")
    accept = try function("SSL_accept")
    read = try function("SSL_read")
    write = try function("SSL_write")
    shutdown = try function("SSL_shutdown")
    error = try function("SSL_get_error")
    clearErrors = try function("ERR_clear_error")
    memoryMethod = try function("BIO_s_mem")
    newBuffer = try function("BIO_new")
    readBuffer = try function("BIO_read")
    writeBuffer = try function("BIO_write")
  }
}
