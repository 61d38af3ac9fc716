import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { type GivenDocument, unpackSome } from "./documents.ts";
import { createModelTasks, type ReadOutput } from "./tasks.ts";
import { buildImage, createImageBuildings, type ModelPool, readDocuments } from "./work.ts";

/** A thread in the same process; its tasks are new when it is replaced. */
function createThread() {
	let tasks = createModelTasks();
	const pool: ModelPool = {
		run: async (task, input) => (await (tasks[task] as (given: unknown) => { value: never })(input)).value,
		close: async () => {},
	};
	const pools = { unpacking: pool, importing: pool };
	return {
		pools,
		beginImage: createImageBuildings(pools),
		replace() {
			tasks = createModelTasks();
		},
	};
}

function createDocument(
	name: string,
	body = JSON.stringify({ [`fv:${name}`]: getContent(name) }, null, 4),
): GivenDocument {
	return { name: `fv${name}`, key: "611", body: gzipSync(body), encoding: "gzip" };
}

const getContent = (name: string) => ({
	rnFormat: `${name}-{name}`,
	contains: { "fv:B": "" },
	dnFormats: [`uni/${name}-{name}`, "uni", "/odd/x", "uni//x"],
	properties: { name: { isNaming: true, label: "Name" }, [`own${name}`]: { label: name, comment: [`Of ${name}.`] } },
});

const getRecords = (outputs: readonly ReadOutput[]) => outputs.flatMap(({ records }) => records ?? []);

test("an image that is built while documents are read is the one of what is stored", async () => {
	const { pools, beginImage } = createThread();
	const image = beginImage();
	const outputs = [
		await readDocuments(pools, [createDocument("A"), createDocument("B"), createDocument("Bad", "<html>")], {
			into: image,
		}),
		await readDocuments(pools, [createDocument("C")], { into: image }),
	];
	const built = await image.finish();
	expect(built?.meta).toMatchObject({ classes: 3, properties: 6 });
	expect(await buildImage(pools, getRecords(outputs))).toEqual(built);
	// It is given once.
	expect(await image.finish()).toBeNull();
});

test("there is none where the thread did not last, or another one was begun", async () => {
	const { pools, beginImage, replace } = createThread();
	const lost = beginImage();
	await readDocuments(pools, [createDocument("A")], { into: lost });
	replace();
	await readDocuments(pools, [createDocument("B")], { into: lost });
	expect(await lost.finish()).toBeNull();
	const [first, second] = [beginImage(), beginImage()];
	await readDocuments(pools, [createDocument("A")], { into: first });
	await readDocuments(pools, [createDocument("B")], { into: second });
	await readDocuments(pools, [createDocument("C")], { into: first });
	expect(await first.finish()).toBeNull();
	expect((await second.finish())?.meta.classes).toBe(1);
	await expect(beginImage().finish({ signal: AbortSignal.abort(new Error("stop")) })).rejects.toThrow("stop");
});

test("documents come packed in any way, and are what they say, or the reason is told", async () => {
	const { pools } = createThread();
	const text = Buffer.from(JSON.stringify({ "fv:A": getContent("A") }));
	const read = async (body: Uint8Array, encoding: GivenDocument["encoding"]) => {
		const { outcomes } = await readDocuments(pools, [
			{ name: "fvA", key: "611", body: Uint8Array.from(body), encoding },
		]);
		const [outcome] = outcomes;
		return outcome?.ok ? outcome.properties : outcome?.message;
	};
	expect(await read(text, "identity")).toBe(2);
	expect(await read(gzipSync(text), "gzip")).toBe(2);
	expect(await read(deflateSync(text), "deflate")).toBe(2);
	expect(await read(brotliCompressSync(text), "br")).toBe(2);
	expect(await read(Buffer.concat([Buffer.from("\ufeff"), text]), "identity")).toBe(2);
	// Invalid UTF-8 is replaced.
	expect(await read(Buffer.from(text.toString().replace("Of A", "Of \u00e9"), "latin1"), "identity")).toBe(2);
	const packed = gzipSync(text);
	expect(await read(packed.subarray(0, 40), "gzip")).toMatch(/^it cannot be unpacked: /);
	expect(await read(packed.subarray(0, 2), "gzip")).toMatch(/^it cannot be unpacked: /);
	expect(await read(text.subarray(0, 40), "identity")).toMatch(/^not JSON: /);
	// The length that it says it has is wrong.
	packed.writeUInt32LE(3_000_000_000, packed.length - 4);
	expect(await read(packed, "gzip")).toMatch(/^it cannot be unpacked: /);
	const large = gzipSync(
		Buffer.from(JSON.stringify({ "fv:A": { ...getContent("A"), comment: ["x".repeat(5_000_000)] } })),
	);
	expect(await read(large, "gzip")).toBe(2);
});

test("classes are told once while an image is built, and each time without one", async () => {
	const { pools, beginImage, replace } = createThread();
	const naming = (name: string, contains: string[]) =>
		createDocument(
			name,
			JSON.stringify({
				[`fv:${name}`]: { rnFormat: "x", contains: Object.fromEntries(contains.map((key) => [key, ""])) },
			}),
		);
	const image = beginImage();
	const read = async (given: GivenDocument, into = true) =>
		(await readDocuments(pools, [given], { into: into ? image : null })).named.sort();
	expect(await read(naming("A", ["fv:B", "fv:C", "not a class"]))).toEqual(["fvB", "fvC"]);
	expect(await read(naming("B", ["fv:C", "fv:D"]))).toEqual(["fvD"]);
	expect(await read(naming("B", ["fv:C", "fv:D"]), false)).toEqual(["fvC", "fvD"]);
	// Names that a lost thread reported are reported again.
	replace();
	expect(await read(naming("C", ["fv:B", "fv:C", "fv:D"]))).toEqual(["fvB", "fvD"]);
	expect(await read(naming("D", ["fv:B"]))).toEqual(["fvB"]);
});

test("so many documents are unpacked together as there is room for; the others by who reads them", async () => {
	const { pools } = createThread();
	const large = (name: string) =>
		createDocument(name, JSON.stringify({ [`fv:${name}`]: getContent(name) }) + " ".repeat(20_000_000));
	const documents = [large("A"), createDocument("Bad", "<html>"), large("B"), large("C")];
	const cut = { ...createDocument("Cut"), body: createDocument("Cut").body.subarray(0, 40) };
	expect(unpackSome([cut, ...documents]).map(({ encoding }) => encoding)).toEqual([
		"gzip",
		...["identity", "identity", "identity"],
		"gzip",
	]);
	const { outcomes } = await readDocuments(pools, [cut, ...documents]);
	expect(outcomes.map(({ ok }) => ok)).toEqual([false, true, false, true, true]);
});
