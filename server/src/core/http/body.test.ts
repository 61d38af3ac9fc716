import { createHash } from "node:crypto";
import { type ClientRequest, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHttpServer } from "./server.ts";

const MB = 1024 * 1024;
const computeHash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
/** Bytes that differ from those of any other seed all along. */
const getBytes = (seed: number, length: number) => Buffer.alloc(length, `${seed}:`);

let server: FastifyInstance;
let arrived: Buffer[];

beforeEach(async () => {
	arrived = [];
	server = createHttpServer({
		logger: pino({ level: "silent" }),
		isUnavailable: () => false,
		basePath: "/",
	});
	server.post("/", { bodyLimit: 8 * MB }, async ({ body }) => {
		const hash = computeHash(body as Buffer);
		arrived.push(body as Buffer);
		await new Promise(setImmediate);
		// Another body that was read meanwhile must not overwrite this one.
		const isSame = computeHash(body as Buffer) === hash;
		return { hash, isSame };
	});
	await server.listen({ port: 0, host: "127.0.0.1" });
});
afterEach(() => server.close());

function beginRequest(headers: Record<string, string> = {}): { sent: ClientRequest; answer: Promise<unknown> } {
	const { port } = server.server.address() as AddressInfo;
	const options = {
		port,
		host: "127.0.0.1",
		method: "POST",
		headers: { "content-type": "application/json", ...headers },
	};
	const sent = request(options);
	const answer = new Promise((resolve, reject) => {
		sent.once("error", reject).once("response", async (response) => {
			let text = "";
			for await (const piece of response) text += piece;
			resolve(JSON.parse(text));
		});
	});
	return { sent, answer };
}

async function sendBody(body: Buffer): Promise<unknown> {
	const { sent, answer } = beginRequest();
	sent.end(body);
	return answer;
}

test("bodies that arrive at once and one after another are as they were sent", async () => {
	for (const turn of [1, 2, 3]) {
		const bodies = [3 * MB, MB, 20_000, 100, 0].map((length, at) => getBytes(10 * turn + at, length + turn));
		const answers = await Promise.all(bodies.map(sendBody));
		expect(answers).toEqual(bodies.map((body) => ({ hash: computeHash(body), isSame: true })));
	}
	expect(arrived.filter(({ byteLength }) => byteLength > MB)).toHaveLength(6);
});

test("a body of unknown length grows as it comes", async () => {
	const { sent, answer } = beginRequest({ "transfer-encoding": "chunked" });
	const pieces = [1, 2, 3, 4, 5, 6].map((seed) => getBytes(seed, 70_000 * seed));
	for (const piece of pieces) await new Promise((resolve) => sent.write(piece, resolve));
	sent.end();
	expect(await answer).toEqual({ hash: computeHash(Buffer.concat(pieces)), isSame: true });
});

test("what was read of a body that was given up is in no other", async () => {
	const { sent, answer } = beginRequest({ "content-length": String(4 * MB) });
	const failed = expect(answer).rejects.toThrow();
	await new Promise((resolve) => sent.write(getBytes(1, 2 * MB), resolve));
	const body = getBytes(2, 4 * MB);
	const other = sendBody(body);
	sent.destroy();
	await failed;
	expect(await other).toEqual({ hash: computeHash(body), isSame: true });
	expect(await sendBody(body)).toEqual({ hash: computeHash(body), isSame: true });
});

test("a body beyond the limit is refused without reading on", async () => {
	const { sent, answer } = beginRequest({ "transfer-encoding": "chunked" });
	sent.on("error", () => {});
	for (let left = 9; left > 0; left--) sent.write(getBytes(left, MB));
	await expect(answer).resolves.toMatchObject({ detail: expect.any(String) });
	sent.destroy();
	expect(arrived).toEqual([]);
});
