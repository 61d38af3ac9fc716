/** The receiver of a webhook on this machine, which keeps what it gets. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Receiver {
	readonly url: string;
	/** Bodies of the requests so far. */
	readonly received: readonly string[];
	close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
	const received: string[] = [];
	const server = createServer((request, response) => {
		let body = "";
		request.on("data", (chunk) => {
			body += chunk;
		});
		request.on("end", () => {
			received.push(body);
			response.writeHead(204).end();
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/`,
		received,
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
