/** A TCP proxy that can go silent: connections stay open, and not a byte passes. */
import { connect, createServer, type NetConnectOpts, type Socket } from "node:net";

export interface SilentProxy {
	readonly port: number;
	/** From now on nothing passes. New connections are accepted and stay silent, too. */
	silence(): void;
	/** Goes silent after the target has sent `bytes` more bytes. */
	silenceAfter(bytes: number): void;
	/** Everything passes again, including data that was held back. */
	resume(): void;
	/** Acts as a firewall that lost its state: old connections pass nothing, new ones work. */
	abandon(): void;
	close(): Promise<void>;
}

export async function startSilentProxy(target: NetConnectOpts): Promise<SilentProxy> {
	const pairs = new Set<readonly [Socket, Socket]>();
	let isSilent = false;
	let bytesLeft = Number.POSITIVE_INFINITY;
	function silenceSockets(): void {
		isSilent = true;
		for (const socket of [...pairs].flat()) socket.pause();
	}
	const server = createServer((near) => {
		const far = connect(target);
		const pair = [near, far] as const;
		pairs.add(pair);
		for (const [from, to] of [pair, [far, near] as const]) {
			from.on("data", (chunk) => {
				to.write(chunk);
				if (from === far) bytesLeft -= chunk.length;
				if (bytesLeft <= 0 && !isSilent) silenceSockets();
			});
			from.on("error", () => {});
			from.on("close", () => {
				to.destroy();
				pairs.delete(pair);
			});
			if (isSilent) from.pause();
		}
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("The proxy has no port.");
	return {
		port: address.port,
		silence: silenceSockets,
		silenceAfter(bytes) {
			bytesLeft = bytes;
		},
		resume() {
			isSilent = false;
			bytesLeft = Number.POSITIVE_INFINITY;
			for (const socket of [...pairs].flat()) socket.resume();
		},
		abandon() {
			for (const socket of [...pairs].flat()) socket.pause();
			isSilent = false;
		},
		async close() {
			for (const socket of [...pairs].flat()) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
