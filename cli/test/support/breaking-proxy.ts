/** A TCP proxy that breaks connections. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface BreakingProxy {
	readonly url: string;
	/** Breaks every connection. */
	cut(): void;
	/** Breaks the connection of a matching request after this many bytes of its answer. */
	cutAnswer(request: RegExp, afterBytes: number): void;
	/** How many answers were cut. */
	readonly cuts: () => number;
	close(): Promise<void>;
}

export async function startBreakingProxy(target: string): Promise<BreakingProxy> {
	const { hostname, port } = new URL(target);
	const sockets = new Set<Socket>();
	let pattern: RegExp | null = null;
	let allowed = 0;
	let cuts = 0;
	const server = createServer((near) => {
		const far = connect(Number(port), hostname);
		let left = Number.POSITIVE_INFINITY;
		for (const socket of [near, far]) {
			sockets.add(socket);
			socket.on("error", () => {});
			socket.on("close", () => {
				sockets.delete(socket);
				near.destroy();
				far.destroy();
			});
		}
		near.on("data", (chunk) => {
			if (pattern?.test(chunk.toString("latin1"))) {
				pattern = null;
				left = allowed;
			}
			far.write(chunk);
		});
		far.on("data", (chunk) => {
			near.write(chunk.subarray(0, Math.min(chunk.length, left)));
			left -= chunk.length;
			if (left > 0) return;
			cuts++;
			near.destroySoon();
			far.destroy();
		});
	});
	const cut = (): void => {
		for (const socket of sockets) socket.destroy();
	};
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		cut,
		cutAnswer(request, afterBytes) {
			pattern = request;
			allowed = afterBytes;
		},
		cuts: () => cuts,
		async close() {
			cut();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
