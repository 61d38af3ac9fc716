/** An image of the model is read from the store, also while another release builds it anew. */
import { randomUUID } from "node:crypto";
import { brotliCompressSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createLoadedModel } from "../../src/areas/model/loaded.ts";
import { IMAGE_FORMAT } from "../../src/areas/model/rules/image.ts";
import {
	findActiveVersion,
	insertModelVersion,
	listPieceNumbers,
	markVersionActive,
	replacePieces,
	setImageFormat,
} from "../../src/areas/model/sql/versions.ts";
import { createModelTasks } from "../../src/areas/model/workers/tasks.ts";
import type { ModelPool } from "../../src/areas/model/workers/work.ts";
import type { Db, Store } from "../../src/core/ports/store.ts";
import { startTestApp, type TestApp } from "../support/harness.ts";

let t: TestApp;
let store: Store;
let version: { readonly id: string; readonly run_id: string };
let count: number;
let builds: number;

beforeAll(async () => {
	t = await startTestApp();
	({ store } = t.deps);
});
afterAll(() => t.close());

const getDocument = (name: string) => ({
	name: `fv${name}`,
	key: "611",
	encoding: "identity" as const,
	body: Buffer.from(JSON.stringify({ [`fv:${name}`]: { rnFormat: name, dnFormats: [`uni/${name}`] } })),
});

/** One installed version with two classes, as a release with this format of images leaves it. */
beforeEach(async () => {
	builds = 0;
	const tasks = createModelTasks();
	const { value } = tasks.read({ documents: [getDocument("A"), getDocument("B")], into: null });
	const records = value.records ?? new Uint8Array();
	const { pieces, bytes } = (await tasks.build({ records: [records] })).value;
	count = pieces.length;
	version = { id: randomUUID(), run_id: randomUUID() };
	await t.pool.query(
		`insert into model_import_runs (id, version_key, label, controller_version, source, state, phase, concurrency,
			started_by_username, created_at, enqueued_at)
		 values ($1, '611', '6.1(1)', '6.1(1)', 'folder', 'completed', 'done', 1, 'root', now(), now())`,
		[version.run_id],
	);
	await t.pool.query("insert into model_records (run_id, class_count, payload) values ($1, 2, $2)", [
		version.run_id,
		Buffer.from(records),
	]);
	await store.transaction(async (tx) => {
		await replacePieces(tx, version.run_id, pieces);
		await insertModelVersion(tx, {
			...version,
			version_key: "611",
			label: "6.1(1)",
			controller_version: "6.1(1)",
			source: "folder",
			class_count: 2,
			property_count: 0,
			rel_count: 0,
			imported_at: new Date(t.clock.now()),
			imported_by_username: "root",
			is_active: false,
			is_available: true,
			image_format: IMAGE_FORMAT,
			image_bytes: bytes,
		});
		await markVersionActive(tx, version.id);
	});
});

/** Names of objects in the model as a process reads it. `onPiece` runs after its first piece. */
async function listForms(onPiece: () => Promise<void> = async () => undefined): Promise<string[]> {
	let isFirst = true;
	const db: Db = store.db.withPlugin({
		transformQuery: ({ node }) => node,
		async transformResult({ result }) {
			if (isFirst && result.rows[0] !== undefined && "payload" in result.rows[0]) {
				isFirst = false;
				await onPiece();
			}
			return result;
		},
	});
	const importing = {
		async run(_task: "build", { records }: { records: Uint8Array[] }) {
			builds++;
			return (await createModelTasks().build({ records })).value;
		},
	} as unknown as ModelPool;
	const loaded = createLoadedModel({
		...t.app.context,
		store: { ...store, db },
		modelPools: { ...t.app.context.modelPools, importing },
	});
	const model = (await loaded.current())?.model;
	return ["fvA", "fvB"].flatMap((name) => model?.dns(model.find(name), 0, 10) ?? []);
}

test("an image of this release is read as it is stored", async () => {
	expect(await listForms()).toEqual(["uni/A", "uni/B"]);
	expect(builds).toBe(0);
	expect(count).toBeGreaterThan(2);
});

test.each([
	["as many", () => count],
	["fewer", () => 1],
])("what another release built anew while it was read, of %s pieces, is not mixed with it", async (_, length) => {
	const forms = await listForms(() =>
		store.transaction(async (tx) => {
			const pieces = Array.from({ length: length() }, () => brotliCompressSync("another image"));
			await replacePieces(tx, version.run_id, pieces);
			await setImageFormat(tx, version.id, IMAGE_FORMAT - 1, 13);
		}),
	);
	expect(forms).toEqual(["uni/A", "uni/B"]);
	expect(builds).toBe(1);
	expect((await findActiveVersion(store.db))?.image_format).toBe(IMAGE_FORMAT);
	expect(await listPieceNumbers(store.db, version.run_id)).toHaveLength(count);
});
