/** The store's disk is full under load: clear errors, no acknowledged change is lost, recovery. */
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { attachEmbeddedPostgres, type EmbeddedPostgres } from "../../src/storage/embedded-postgres/index.ts";
import { readServerPid } from "../support/embedded-postgres.ts";
import { waitUntil } from "../support/harness.ts";
import { type RunningService, startService } from "../support/process.ts";

const SIZE_MB = 320;
const CHUNK = Buffer.alloc(64 * 1024);
const FAILURES = 60;
const SETTINGS = { WEFT_LOG_LEVEL: "silent" };

const hashText = (text: string) => createHash("sha256").update(text).digest("hex");

/** A file system of its own in memory; null where this user may not mount one. */
function mountTmpfs(folder: string): (() => void) | null {
	try {
		execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE_MB}m`, "weft-test", folder], { stdio: "ignore" });
	} catch {
		return null;
	}
	return () => void execFileSync("umount", ["--lazy", folder]);
}

/** Writes until nothing more goes in. */
function fillUp(file: string): void {
	const descriptor = openSync(file, "w");
	try {
		for (;;) writeSync(descriptor, CHUNK);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
	} finally {
		closeSync(descriptor);
	}
}

interface Kept {
	readonly queries: Set<string>;
	readonly captures: Map<string, string>;
}

/** One of each kind of write; the answers that were no success. */
async function writeRecords(service: RunningService, kept: Kept): Promise<{ status: number; body: unknown }[]> {
	const name = `query ${randomBytes(6).toString("hex")}`;
	const canvas = { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] };
	const query = await service.call("POST", "/api/queries/saved-queries/", { name, flow_data: canvas });
	if (query.status === 201) kept.queries.add(name);
	const imdata = Array.from({ length: 40 }, (_, index) => ({
		fvTenant: { attributes: { dn: `uni/tn-${index}`, descr: randomBytes(4_000).toString("hex") } },
	}));
	const capture = await service.call("POST", "/api/time-machine/capture/", {
		query_name: "Tenants",
		class_name: "fvTenant",
		controller_connection_name: "Fabric",
		query_structure: canvas,
		result_data: { imdata },
	});
	const id = (capture.body as { snapshot_id?: string } | undefined)?.snapshot_id;
	if (capture.status < 300 && id !== undefined) kept.captures.set(id, hashText(JSON.stringify(imdata)));
	return [query, capture].filter(({ status }) => status >= 300);
}

describe("a full disk", () => {
	let folder: string;
	let unmount: (() => void) | null = null;
	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), "weft-disk-"));
		unmount = mountTmpfs(folder);
	});
	afterEach(async () => {
		unmount?.();
		await rm(folder, { recursive: true, force: true });
	});

	/**
	 * @param start the service, after an end as well as the first time
	 * @param revive brings back what ended for want of space, as a supervisor would
	 */
	async function checkRecovery(
		start: () => Promise<RunningService>,
		revive: (service: RunningService) => Promise<RunningService>,
	) {
		const kept: Kept = { queries: new Set(), captures: new Map() };
		let service = await start();
		for (let n = 0; n < 5; n++) expect(await writeRecords(service, kept)).toEqual([]);
		const before = kept.queries.size + kept.captures.size;
		const ballast = join(folder, "ballast");
		fillUp(ballast);
		const refused: { status: number; body: unknown }[] = [];
		let gone = false;
		while (refused.length < FAILURES && !gone) {
			refused.push(
				...(await writeRecords(service, kept).catch(() => {
					gone = true;
					return [];
				})),
			);
		}
		for (const { status, body } of refused) {
			expect(status, JSON.stringify(body)).toBe(503);
			expect(body).toMatchObject({ detail: expect.stringContaining("Try again") });
		}
		await rm(ballast);
		await waitUntil(
			"the service writes again",
			async () => {
				service = await revive(service);
				return (await writeRecords(service, kept).catch(() => [null])).length === 0;
			},
			90_000,
		);
		const { body } = await service.call("GET", "/api/queries/saved-queries/?page_size=100");
		const there = new Set((body as { results: { name: string }[] }).results.map(({ name }) => name));
		expect([...kept.queries].filter((name) => !there.has(name))).toEqual([]);
		for (const [id, digest] of kept.captures) {
			const { body: found } = await service.call("GET", `/api/time-machine/snapshots/${id}/`);
			expect(hashText(JSON.stringify((found as { result_data: { imdata: unknown } }).result_data.imdata))).toBe(digest);
		}
		const figures = {
			refused: refused.length,
			ended: gone,
			"kept before": before,
			kept: kept.queries.size + kept.captures.size,
		};
		process.stderr.write(`disk full: ${JSON.stringify(figures)}\n`);
		expect(refused.length > 0 || gone).toBe(true);
		return service;
	}

	const ended = ({ child }: RunningService) => child.exitCode !== null || child.signalCode !== null;
	const stop = async (service: RunningService) => {
		service.child.kill("SIGTERM");
		await service.ended;
	};

	it("under the embedded store", async ({ skip }) => {
		if (unmount === null) return skip("only root may mount a small disk");
		const start = () => startService(join(folder, "data"), SETTINGS);
		// Where PostgreSQL itself has ended, so has the service; a supervisor starts it until it stays.
		const revive = async (service: RunningService) => (ended(service) ? start().catch(() => service) : service);
		await stop(await checkRecovery(start, revive));
	}, 240_000);

	it("under PostgreSQL", async ({ skip }) => {
		if (unmount === null) return skip("only root may mount a small disk");
		const dataDir = join(folder, "store");
		await mkdir(dataDir);
		let store: EmbeddedPostgres = await attachEmbeddedPostgres({ dataDir, log: () => {} });
		const { host, port, user, database } = store.connection;
		const start = () =>
			startService(join(folder, "data"), {
				...SETTINGS,
				WEFT_SECRET_KEY: "a key that only fault tests use",
				WEFT_DATABASE_URL: `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
			});
		const revive = async (service: RunningService) => {
			expect(ended(service), service.output.stderr).toBe(false);
			if ((await readServerPid(dataDir)) === undefined) {
				store = await attachEmbeddedPostgres({ dataDir, log: () => {} }).catch(() => store);
			}
			return service;
		};
		await stop(await checkRecovery(start, revive));
		await store.stop();
	}, 240_000);
});
