/// The options that few requests set, behind one reference, so that ``Options`` stay cheap to copy.
package final class UncommonOptions: Sendable {
  package struct Fields: Sendable {
    package var tls = TLS()
    package var proxy = ProxySelection.automatic
    package var network = Network()
    package var addressPolicy: AddressPolicy?
    package var authentication: Authentication?
    package var rates = TransferRates()
    package var expectContinue: ExpectContinue?
    package var acceptsHTTP0_9 = false
    package var requestTrailers: RequestTrailers?
    package var onRawHead: RawHeadHandler?
    package var onTrace: TraceHandler?

    package init() {}
  }

  package let fields: Fields

  package init(_ fields: Fields) { self.fields = fields }
}
