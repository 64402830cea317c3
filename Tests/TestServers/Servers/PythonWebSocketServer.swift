private import FaradayCore

/// A real WebSocket server on the loopback interface, of Python's `websockets` or `aiohttp`, which must be installed. It returns
/// each message, offers permessage-deflate and the subprotocol `v2`, and closes with the code 4001 and the reason "bye" after
/// the text "close".
///
/// It ends with this process, even if that crashes. Thread-safe.
package final class PythonWebSocketServer: Sendable {
  /// The library of the server.
  package enum Library: String, CaseIterable, Sendable { case websockets, aiohttp }

  /// The port it listens on, on 127.0.0.1.
  package let port: Int
  private let shell: HeldShell

  /// Starts it. Throws ``ServerNotStarted``.
  package init(_ library: Library) throws {
    let folder = try HeldShell.makeFolder(for: library.rawValue)
    try Data(Self.program(library).utf8).write(to: URL(filePath: folder + "/server.py"))
    shell = try HeldShell(library.rawValue, script: Self.script(library), folder: folder, until: "ready\n")
    let text = try String(contentsOfFile: folder + "/port", encoding: .utf8)
    port = Int(text) ?? 0
  }

  /// Stops it at once.
  package func stop() { shell.stop() }

  // The first python3 can be one without the library, such as pyenv's.
  private static func script(_ library: Library) -> String {
    """
    python=python3
    $python -c 'import \(library)' 2>/dev/null || python=/usr/bin/python3
    $python server.py >log 2>&1 &
    until [ -s port ] || ! kill -0 $!; do sleep 0.02; done
    [ -s port ] || { cat log; exit 1; }
    echo ready
    read -r _
    kill -KILL $!
    cd / && rm -rf "$1"
    """
  }

  private static func program(_ library: Library) -> String {
    """
    import asyncio, os

    def listening(port):
        with open("port.new", "w") as file: file.write(str(port))
        os.rename("port.new", "port")

    """
      + (library == .websockets
        ? """
        import websockets

        async def echo(socket, path=None):
            async for message in socket:
                if message == "close": return await socket.close(4001, "bye")
                await socket.send(message)

        async def main():
            server = await websockets.serve(echo, "127.0.0.1", 0, subprotocols=["v2"], max_size=None)
            listening(next(iter(server.sockets)).getsockname()[1])
            await asyncio.Future()

        asyncio.run(main())
        """
        : """
        from aiohttp import web, WSMsgType

        async def echo(request):
            socket = web.WebSocketResponse(protocols=["v2"], max_msg_size=0)
            await socket.prepare(request)
            async for message in socket:
                if message.type == WSMsgType.TEXT:
                    if message.data == "close":
                        await socket.close(code=4001, message=b"bye")
                    else:
                        await socket.send_str(message.data)
                elif message.type == WSMsgType.BINARY: await socket.send_bytes(message.data)
            return socket

        async def main():
            app = web.Application()
            app.router.add_get("/{tail:.*}", echo)
            runner = web.AppRunner(app)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            listening(site._server.sockets[0].getsockname()[1])
            await asyncio.Future()

        asyncio.run(main())
        """)
  }
}
