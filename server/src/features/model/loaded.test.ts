import { brotliCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { IMAGE_FORMAT } from "./domain/image.ts";
import { createLoadedModel, type LoadedDeps } from "./loaded.ts";
import type { VersionRow } from "./repo-versions.ts";
import { createModelTasks } from "./workers/tasks.ts";

const getDocument = (name: string) => ({
	name: `fv${name}`,
	key: "611",
	encoding: "identity" as const,
	body: Buffer.from(JSON.stringify({ [`fv:${name}`]: { rnFormat: name, dnFormats: [`uni/${name}`] } })),
});

/** A store with one version; `onPiece` is called before each piece of its image is read. */
async function storeWith(onPiece: (at: number, replace: (format: number, pieces: Buffer[]) => void) => void) {
	const tasks = createModelTasks();
	const { value } = tasks.read({ documents: [getDocument("A"), getDocument("B")], into: null });
	const records = value.records === null ? [] : [value.records];
	const built = (await tasks.build({ records })).value;
	let pieces: Buffer[] = built.pieces.map((piece) => Buffer.from(piece));
	let format = IMAGE_FORMAT;
	let builds = 0;
	const row = () => ({ id: "1", run_id: "1", image_format: format, class_count: 2 }) as VersionRow;
	const versions = {
		active: async () => row(),
		named: async () => row(),
		pieces: async () => [...pieces.keys()],
		async piece(_: unknown, __: string, at: number) {
			onPiece(at, (otherFormat, others) => {
				format = otherFormat;
				pieces = others;
			});
			return pieces[at];
		},
		records: async () => records.map((bytes) => Buffer.from(bytes)),
		async putPieces(_: unknown, __: string, made: readonly Uint8Array[]) {
			pieces = made.map((piece) => Buffer.from(piece));
		},
		async setFormat(_: unknown, __: string, made: number) {
			format = made;
		},
	};
	const deps = {
		store: { db: {}, transaction: async (work: (tx: unknown) => unknown) => work({}) },
		announcements: { listen: () => () => undefined },
		clock: { sleep: async () => undefined },
		log: { info: () => undefined, warn: () => undefined },
		versions,
		work: {
			async build(records: Uint8Array[]) {
				builds++;
				return (await tasks.build({ records })).value;
			},
		},
	} as unknown as LoadedDeps;
	return { loaded: createLoadedModel(deps), count: built.pieces.length, builds: () => builds, format: () => format };
}

async function listForms(loaded: ReturnType<typeof createLoadedModel>): Promise<string[]> {
	const model = (await loaded.current())?.model;
	return ["fvA", "fvB"].flatMap((name) => model?.dns(model.find(name), 0, 10) ?? []);
}

test("an image of this release is read as it is stored", async () => {
	const { loaded, builds, count } = await storeWith(() => undefined);
	expect(await listForms(loaded)).toEqual(["uni/A", "uni/B"]);
	expect(builds()).toBe(0);
	expect(count).toBeGreaterThan(2);
});

test.each([
	["as many", (count: number) => count],
	["fewer", () => 1],
])("what another release built anew while it was read, of %s pieces, is not mixed with it", async (_, length) => {
	let isDone = false;
	const made = await storeWith((at, replace) => {
		if (at !== 2 || isDone) return;
		isDone = true;
		const pieces = Array.from({ length: length(made.count) }, () => brotliCompressSync("another image"));
		replace(IMAGE_FORMAT - 1, pieces);
	});
	expect(await listForms(made.loaded)).toEqual(["uni/A", "uni/B"]);
	expect(made.builds()).toBe(1);
	expect(made.format()).toBe(IMAGE_FORMAT);
});
