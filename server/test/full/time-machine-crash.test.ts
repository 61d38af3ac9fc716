/**
 * The process killed while it captures or deletes: acknowledged snapshots exist, and no other is
 * partly stored.
 */
import { afterEach, expect, it } from "vitest";
import { attachEmbeddedPostgres } from "../../src/storage/embedded-postgres/index.ts";
import { createHarness, killServer, runStatement } from "../support/embedded-postgres.ts";
import { runBuiltProgram, startService } from "../support/process.ts";

const harness = createHarness();
const services: Service[] = [];
afterEach(async () => {
	for (const service of services.splice(0)) await service.kill();
	await harness.clean();
});

type Answer = Promise<{ readonly status: number; readonly text: string }>;

interface Service {
	post(path: string, body: string): Answer;
	put(path: string, body: string): Answer;
	get(path: string): Answer;
	kill(): Promise<void>;
}

/** The service and its answers as texts: the stored rows must be the same to the byte. */
async function launchService(dataDir: string): Promise<Service> {
	const { url, child, ended, authorization } = await startService(dataDir);
	async function callApi(method: string, path: string, body?: string) {
		const headers = { "content-type": "application/json", authorization: authorization() };
		const response = await fetch(`${url}/api/${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
		return { status: response.status, text: await response.text() };
	}
	const service: Service = {
		post: (path, body) => callApi("POST", path, body),
		put: (path, body) => callApi("PUT", path, body),
		get: (path) => callApi("GET", path),
		async kill() {
			child.kill("SIGKILL");
			await ended;
		},
	};
	services.push(service);
	return service;
}

/** The command beside the running service. */
async function verifySnapshots(dataDir: string): Promise<{ code: number | string; text: string }> {
	const { ended, output } = runBuiltProgram("admin", dataDir, { WEFT_LOG_LEVEL: "silent" }, ["verify-snapshots"]);
	return { code: await ended, text: output.stdout };
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
		const service = await launchService(dataDir);
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

	const service = await launchService(dataDir);
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
	let service = await launchService(dataDir);
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

	service = await launchService(dataDir);
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
