/**
 * A web proxy that knows CONNECT only (RFC 9110, section 9.3.6). Names of `.test` are this host.
 */
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

export interface ConnectProxy {
	readonly url: string;
	/** `host:port` of each CONNECT, in their order. */
	readonly targets: string[];
	/** The header Proxy-Authorization of the last CONNECT. */
	readonly authorization: () => string | undefined;
	/** Status of the answers from now on, where it is not 200. */
	refuse(status: number): void;
	close(): Promise<void>;
}

export async function startConnectProxy(): Promise<ConnectProxy> {
	const targets: string[] = [];
	const sockets = new Set<Socket>();
	let authorization: string | undefined;
	let status = 200;
	const server = createServer((_request, response) => void response.writeHead(405).end());
	server.on("connection", (socket) => {
		sockets.add(socket);
		socket.on("close", () => sockets.delete(socket)).on("error", () => {});
	});
	server.on("connect", ({ url = "", headers }, near) => {
		targets.push(url);
		authorization = headers["proxy-authorization"];
		if (status !== 200) return void near.end(`HTTP/1.1 ${status} Refused\r\n\r\n`);
		const { hostname, port } = new URL(`http://${url}`);
		const far = connect(Number(port || 80), hostname.endsWith(".test") ? "127.0.0.1" : hostname, () => {
			near.write("HTTP/1.1 200 Connection established\r\n\r\n");
			near.pipe(far).pipe(near);
		});
		far.on("error", () => near.destroy());
		near.on("close", () => far.destroy());
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		targets,
		authorization: () => authorization,
		refuse(code) {
			status = code;
		},
		async close() {
			for (const socket of sockets) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
