/**
 * The process killed while it captures or deletes: acknowledged snapshots exist, and no other is
 * partly stored.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { attachEmbeddedPostgres } from "../../src/adapters/embedded-postgres/index.ts";
import { createHarness, killServer, runStatement } from "../support/embedded-postgres.ts";

const MAIN = fileURLToPath(new URL("../../bundle/main.js", import.meta.url));
const ADMIN = fileURLToPath(new URL("../../bundle/admin.js", import.meta.url));
const PASSWORD = "correct horse battery";
const harness = createHarness();
const services: Service[] = [];
afterEach(async () => {
	for (const service of services.splice(0)) await service.kill();
	await harness.clean();
});

type Service = Awaited<ReturnType<typeof startService>>;

async function startService(dataDir: string) {
	if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: run npx tsc -b`);
	const child = spawn(process.execPath, [MAIN], {
		env: {
			...process.env,
			WEFT_DATA_DIR: dataDir,
			WEFT_PORT: "0",
			WEFT_THROTTLE: "off",
			WEFT_LOG_LEVEL: "silent",
			WEFT_ADMIN_PASSWORD: PASSWORD,
		},
		stdio: ["ignore", "pipe", "inherit"],
	});
	const exit = once(child, "exit");
	const [line] = await once(createInterface({ input: child.stdout }), "line");
	const base = /http:\S+/.exec(line)?.[0];
	async function callApi(method: string, path: string, body?: string, token?: string) {
		const response = await fetch(`${base}/api/${path}`, {
			method,
			headers: { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) },
			...(body === undefined ? {} : { body }),
		});
		return { status: response.status, text: await response.text() };
	}
	const signedIn = await callApi("POST", "auth/login/", JSON.stringify({ username: "admin", password: PASSWORD }));
	const { access } = JSON.parse(signedIn.text);
	return {
		post: (path: string, body: string) => callApi("POST", path, body, access),
		put: (path: string, body: string) => callApi("PUT", path, body, access),
		get: (path: string) => callApi("GET", path, undefined, access),
		async kill() {
			child.kill("SIGKILL");
			await exit;
		},
	};
}

/** The command beside the running service. */
async function verifySnapshots(dataDir: string): Promise<{ code: number; text: string }> {
	const child = spawn(process.execPath, [ADMIN, "verify-snapshots"], {
		env: { ...process.env, WEFT_DATA_DIR: dataDir, WEFT_LOG_LEVEL: "silent" },
		stdio: ["ignore", "pipe", "inherit"],
	});
	let text = "";
	child.stdout.on("data", (chunk) => {
		text += chunk;
	});
	const [code] = await once(child, "close");
	return { code, text };
}

/**
 * An answer that differs from all others; every fourth one is large enough for a worker thread and
 * many chunks.
 */
function buildAnswer(serial: number): string {
	const rows = Array.from({ length: serial % 4 === 0 ? 4000 : 5 }, (_, i) => ({
		fvBD: {
			attributes: { dn: `uni/BD-${i}`, v: `${serial}`, noise: `${Math.imul(i + serial, 2654435761)}`.repeat(20) },
		},
	}));
	return JSON.stringify({ imdata: rows });
}

/**
 * Captures on four lanes, two of which share a history, until one fails; tells of each
 * acknowledgement.
 */
async function captureUntilKilled(service: Service, acknowledged: (id: string, text: string) => void, from: number) {
	let serial = from;
	const lane = async (name: string) => {
		for (;;) {
			const text = buildAnswer(serial++);
			const answered = await service
				.post("time-machine/capture/", `{"query_name":"${name}","result_data":${text}}`)
				.catch(() => null);
			if (answered === null) return;
			expect(answered.status, answered.text).toBe(200);
			acknowledged(JSON.parse(answered.text).snapshot_id, text);
		}
	};
	await Promise.all(["a", "b", "shared", "shared"].map(lane));
	return serial;
}

it("keeps what it acknowledged and nothing by halves, also when the store is killed with it", async () => {
	const dataDir = await harness.folder();
	const kept = new Map<string, string>();
	let serial = 0;
	for (const withStore of [false, true, false]) {
		const service = await startService(dataDir);
		services.push(service);
		const enough = kept.size + 17;
		let killing: Promise<unknown> | undefined;
		serial = await captureUntilKilled(
			service,
			(id, text) => {
				kept.set(id, text);
				if (kept.size >= enough) killing ??= Promise.all([service.kill(), withStore && killServer(dataDir)]);
			},
			serial,
		);
		await killing;
	}

	const service = await startService(dataDir);
	services.push(service);
	for (const [id, text] of kept) {
		const read = await service.get(`time-machine/snapshots/${id}/`);
		expect(read.status).toBe(200);
		expect(read.text.endsWith(`"result_data":${text}}`)).toBe(true);
	}

	const verified = await verifySnapshots(dataDir);
	expect(verified.code, verified.text).toBe(0);
	expect(verified.text).toMatch(/^[0-9]+ of [0-9]+ snapshots are what was captured, 0 damaged\.\n$/);

	const store = await attachEmbeddedPostgres({ dataDir, log: () => {} });
	const snapshots = await runStatement(
		store,
		`select s.*, (select count(*)::int from snapshot_manifests m where m.snapshot_id = s.id and m.position = s.position) as manifests,
			(select count(*)::int from audit_log a where a.target_id = s.id::text) as entries
		from snapshots s order by history_id, position`,
	);
	expect(snapshots.length).toBeGreaterThanOrEqual(kept.size);
	let previous: Record<string, unknown> | undefined;
	for (const snapshot of snapshots) {
		expect(snapshot.manifests).toBe(1);
		expect(snapshot.entries).toBe(1);
		if (previous?.history_id !== snapshot.history_id) previous = undefined;
		expect(snapshot.position).toBe(((previous?.position as number) ?? 0) + 1);
		expect(snapshot.has_changes).toBe(previous !== undefined);
		previous = snapshot;
	}
	const [segments] = await runStatement(
		store,
		`select count(*)::int as n, coalesce(sum((select count(*) from snapshot_histories h where h.id = g.history_id)), 0)::int as kept,
			coalesce(bool_and(next_pack = (select count(*) from snapshot_packs p where p.segment_id = g.id)), true) as packs,
			coalesce(bool_and(next_version > (select max(last_version) from snapshot_packs p where p.segment_id = g.id)), true) as versions
		from snapshot_segments g`,
	);
	expect(segments).toMatchObject({ kept: segments?.n, packs: true, versions: true });
	await store.stop();
}, 300_000);

it("leaves everything readable when it is killed in the middle of a cleanup, and the next one ends it", async () => {
	const dataDir = await harness.folder();
	let service = await startService(dataDir);
	services.push(service);
	/**
	 * By history, the text of each snapshot, oldest first. Rows are shared, so that deleting rewrites
	 * packs and lists.
	 */
	const histories = Array.from({ length: 24 }, (_, history) =>
		Array.from({ length: 4 }, (_, at) =>
			JSON.stringify({
				imdata: Array.from({ length: 400 }, (_, i) => ({
					fvBD: { attributes: { dn: `uni/BD-${i}`, v: i % 7 <= at ? `${history}.${at}` : "0" } },
				})),
			}),
		),
	);
	const all: { id: string; text: string; isLatest: boolean }[] = [];
	for (const [history, texts] of histories.entries())
		for (const [at, text] of texts.entries()) {
			const { text: answered } = await service.post(
				"time-machine/capture/",
				`{"query_name":"history ${history}","result_data":${text}}`,
			);
			all.push({ id: JSON.parse(answered).snapshot_id, text, isLatest: at === texts.length - 1 });
		}
	const settings = JSON.stringify({ retention_policy: "count", retention_count: 1 });
	expect((await service.put("time-machine/settings/", settings)).status).toBe(200);

	const expired = async (): Promise<number> => {
		const { text } = await service.post("time-machine/cleanup/preview/", "{}");
		return JSON.parse(text).count;
	};
	const before = await expired();
	expect(before).toBe(24 * 3);
	const cleaning = service.post("time-machine/cleanup/execute/", "{}").catch(() => null);
	let seen = before;
	while (seen === before) seen = await expired();
	await service.kill();
	await cleaning;

	service = await startService(dataDir);
	services.push(service);
	const left = await expired();
	expect(left).toBeLessThan(before);
	let gone = 0;
	for (const { id, text, isLatest } of all) {
		const read = await service.get(`time-machine/snapshots/${id}/`);
		if (read.status === 404) {
			expect(isLatest).toBe(false);
			gone++;
			continue;
		}
		expect(read.status).toBe(200);
		expect(read.text.endsWith(`"result_data":${text}}`)).toBe(true);
		const compared = await service.post(
			"time-machine/compare/?format=summary",
			JSON.stringify({ snapshot_from_id: id, snapshot_to_id: id }),
		);
		expect(JSON.parse(compared.text)).toMatchObject({ identical: true });
	}
	expect(gone).toBe(before - left);
	expect((await verifySnapshots(dataDir)).text).toMatch(
		new RegExp(`^${all.length - gone} of ${all.length - gone} snapshots`),
	);

	expect((await service.post("time-machine/cleanup/execute/", "{}")).status).toBe(200);
	expect(await expired()).toBe(0);
	for (const { id, text, isLatest } of all) {
		const read = await service.get(`time-machine/snapshots/${id}/`);
		expect(read.status).toBe(isLatest ? 200 : 404);
		if (isLatest) expect(read.text.endsWith(`"result_data":${text}}`)).toBe(true);
	}
	expect((await verifySnapshots(dataDir)).text).toMatch(/^24 of 24 snapshots/);
}, 300_000);
