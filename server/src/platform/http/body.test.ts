import { createHash } from "node:crypto";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import pino from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readBody } from "./body.ts";
import { createBodyMemory } from "./body-memory.ts";
import { createHttpServer } from "./server.ts";

const MB = 1024 * 1024;
const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
/** Bytes that differ from those of any other seed all along. */
const bytesOf = (seed: number, length: number) => Buffer.alloc(length, `${seed}:`);

let server: FastifyInstance;
let arrived: Buffer[];
/** Shared memory that was taken and not given back. */
let held: Set<unknown>;

beforeEach(async () => {
	const real = createBodyMemory();
	held = new Set();
	const memory: typeof real = {
		take(bytes) {
			const taken = real.take(bytes);
			if (taken.buffer instanceof SharedArrayBuffer) held.add(taken.buffer);
			return taken;
		},
		give(bytes) {
			held.delete(bytes.buffer);
			real.give(bytes);
		},
	};
	arrived = [];
	server = createHttpServer({
		logger: pino({ level: "silent" }),
		isUnavailable: () => false,
		basePath: "/",
		bodyMemory: memory,
	});
	server.post("/", { bodyLimit: 8 * MB }, async ({ body }) => {
		const hash = hashOf(body as Buffer);
		arrived.push(body as Buffer);
		await new Promise(setImmediate);
		// Another body that was read meanwhile has memory of its own.
		const isSame = hashOf(body as Buffer) === hash;
		memory.give(body as Buffer);
		return { hash, isSame };
	});
	await server.listen({ port: 0, host: "127.0.0.1" });
});
afterEach(() => server.close());

function begin(headers: Record<string, string> = {}): { sent: ClientRequest; answer: Promise<unknown> } {
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

async function send(body: Buffer): Promise<unknown> {
	const { sent, answer } = begin();
	sent.end(body);
	return answer;
}

test("bodies that come at once and one after another are as they were sent, in memory that is used again", async () => {
	for (const turn of [1, 2, 3]) {
		const bodies = [3 * MB, MB, 20_000, 100, 0].map((length, at) => bytesOf(10 * turn + at, length + turn));
		const answers = await Promise.all(bodies.map(send));
		expect(answers).toEqual(bodies.map((body) => ({ hash: hashOf(body), isSame: true })));
	}
	const large = arrived.filter(({ byteLength }) => byteLength > MB);
	expect(large).toHaveLength(6);
	expect(new Set(large.map(({ buffer }) => buffer)).size).toBe(2);
});

test("a body of unknown length grows as it comes", async () => {
	const { sent, answer } = begin({ "transfer-encoding": "chunked" });
	const pieces = [1, 2, 3, 4, 5, 6].map((seed) => bytesOf(seed, 70_000 * seed));
	for (const piece of pieces) await new Promise((resolve) => sent.write(piece, resolve));
	sent.end();
	expect(await answer).toEqual({ hash: hashOf(Buffer.concat(pieces)), isSame: true });
	expect(held.size).toBe(0);
});

test("what was read of a body that was given up is in no other", async () => {
	const { sent, answer } = begin({ "content-length": String(4 * MB) });
	const failed = expect(answer).rejects.toThrow();
	await new Promise((resolve) => sent.write(bytesOf(1, 2 * MB), resolve));
	const body = bytesOf(2, 4 * MB);
	const other = send(body);
	sent.destroy();
	await failed;
	expect(await other).toEqual({ hash: hashOf(body), isSame: true });
	expect(await send(body)).toEqual({ hash: hashOf(body), isSame: true });
	expect(held.size).toBe(0);
});

test("a body beyond the limit is refused without reading on", async () => {
	const { sent, answer } = begin({ "transfer-encoding": "chunked" });
	sent.on("error", () => {});
	for (let left = 9; left > 0; left--) sent.write(bytesOf(left, MB));
	await expect(answer).resolves.toMatchObject({ detail: expect.any(String) });
	sent.destroy();
	expect(arrived).toEqual([]);
});

test("of what has come at once a quarter of a megabyte is taken, and more a moment later", async () => {
	vi.useFakeTimers({ toFake: ["setTimeout"] });
	try {
		const payload = new PassThrough({ highWaterMark: 2 * MB });
		const pieces = Array.from({ length: 20 }, (_, at) => bytesOf(at, 64 * 1024));
		const sent = hashOf(Buffer.concat(pieces));
		for (const piece of pieces) payload.write(piece);
		payload.end();
		let body: Buffer | null = null;
		const taken = () => MB * 2 - payload.readableLength - payload.writableLength;
		const before = taken();
		const given = { routeOptions: { bodyLimit: 8 * MB }, headers: {} } as unknown as FastifyRequest;
		void readBody(given, payload as unknown as IncomingMessage, createBodyMemory()).then((read) => {
			body = read;
		});
		const turns = new Set<number>();
		while (body === null) {
			for (let left = 20; left > 0; left--) await new Promise(setImmediate);
			turns.add((taken() - before) / MB);
			vi.advanceTimersByTime(1);
		}
		expect([...turns]).toEqual([0.25, 0.5, 0.75, 1, 1.25]);
		expect(hashOf(body)).toBe(sent);
	} finally {
		vi.useRealTimers();
	}
});
