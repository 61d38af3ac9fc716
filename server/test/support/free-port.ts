/** Ports for services whose address must be known before they start. */
import { createServer } from "node:net";

/** Finds a port that is free now. */
export async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	await new Promise((resolve) => server.close(resolve));
	if (typeof address !== "object" || address === null) throw new Error("There is no free port.");
	return address.port;
}
