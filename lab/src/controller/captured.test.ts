/** Answers recorded from real controllers: after loading them, the same requests return them. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestClient, type TestClient, type TestObject } from "./testing.ts";

const FOLDER = fileURLToPath(new URL("../../../../shared/data/controller/answers/", import.meta.url));
const present = existsSync(`${FOLDER}index.csv`);
if (!present) process.stderr.write("captured answers: skipped, there is no ../shared/data\n");

interface Recording {
	readonly file: string;
	readonly cls: string;
	readonly kind: string;
	readonly request: string;
}

/** Requests that were recorded in the name of a file only. */
const NAMED_REQUESTS: Readonly<Record<string, string>> = {
	_api_node_mo_uni_tn_DataDog_json_rsp_subtree_include_event_logs_no_scoped_subtree_order_by_eventRecord_created_desc_page_0_page_size_15:
		"/api/node/mo/uni/tn-DataDog.json?rsp-subtree-include=event-logs,no-scoped,subtree&order-by=eventRecord.created|desc&page=0&page-size=15",
};

function readIndex(): Recording[] {
	const [head = [], ...rows] = readFileSync(`${FOLDER}index.csv`, "utf8").trim().split("\n").map(readRow);
	const column = (row: readonly string[], name: string) => row[head.indexOf(name)] ?? "";
	return rows.map((row) => {
		const [file, cls, kind] = [column(row, "file"), column(row, "class"), column(row, "kind")];
		const request = column(row, "request");
		return {
			file,
			cls,
			kind,
			request:
				NAMED_REQUESTS[request] ?? (request.startsWith("/api/") ? request : `/api/class/${cls}.json?rsp-subtree=full`),
		};
	});
}

function readRow(line: string): string[] {
	return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((found) =>
		(found[1]?.replaceAll('""', '"') ?? found[2] ?? "").trim(),
	);
}

/**
 * Recordings whose request does not match their answer: one uses another character in a group's
 * name, two ask for faults after the time of the fault they hold (stored times are finer than
 * shown).
 */
const MENDED: Readonly<Record<string, readonly [string, string]>> = {
	"datadog--l2IngrPktsAgHist1h--3f8f3374.json": ["epg-Test_EPG", "epg-Test-EPG"],
	"datadog--faultDelegate--8bf03ccb.json": ["gt(", "ge("],
	"datadog--faultInst--5058ab43.json": ["gt(", "ge("],
};

interface Flat {
	readonly cls: string;
	readonly attributes: Readonly<Record<string, string>>;
}

/** Every object by its name, nested ones under that of their parent. */
function flattenObjects(items: readonly Record<string, TestObject>[], parent = ""): Map<string, Flat> {
	const found = new Map<string, Flat>();
	for (const item of items) {
		const [entry] = Object.entries(item);
		if (entry === undefined) continue;
		const [cls, { attributes, children = [] }] = entry;
		const name = attributes.dn ?? `${parent}/${attributes.rn ?? cls}`;
		found.set(name, { cls, attributes });
		for (const [below, object] of flattenObjects(children, name)) found.set(below, object);
	}
	return found;
}

const recordings = present ? readIndex() : [];
const objects = recordings.filter(({ kind }) => kind === "answer");

describe.skipIf(!present)("answers recorded from real controllers", () => {
	let client: TestClient;

	beforeAll(async () => {
		client = await startTestClient({ size: "empty" });
	});
	afterAll(() => client.close());

	it.each(objects)("come back: $file", async ({ file, request }) => {
		client.controller.reset();
		await client.login();
		const recorded = JSON.parse(readFileSync(FOLDER + file, "utf8"));
		client.controller.load(recorded);
		const [from, to] = MENDED[file] ?? ["", ""];
		const answer = await client.get(request.replace(from, to));
		expect(answer.error.text).toBeUndefined();
		const [want, got] = [flattenObjects(recorded.imdata), flattenObjects(answer.imdata)];
		expect([...got.keys()].sort()).toEqual([...want.keys()].sort());
		for (const [name, object] of want) expect(got.get(name)).toEqual(object);
		expect(answer.totalCount).toBe(String(recorded.imdata.length));
	});

	it.each(recordings.filter(({ kind }) => kind === "count"))("count as many: $file", async ({ file, request }) => {
		client.controller.reset();
		await client.login();
		const recorded = JSON.parse(readFileSync(FOLDER + file, "utf8"));
		const count = Number(recorded.imdata[0].moCount.attributes.count);
		const cls = /class\/(\w+)\./.exec(request)?.[1] ?? "";
		client.controller.load(
			Array.from({ length: count }, (_, at) => ({ [cls]: { attributes: { dn: `uni/x-${at}`, name: `${at}` } } })),
		);
		const answer = await client.get(request);
		expect(JSON.parse(answer.text)).toEqual(recorded);
	});

	it("are all told apart as answers, counts and logins", () => {
		expect(new Set(recordings.map(({ kind }) => kind))).toEqual(new Set(["answer", "count", "login"]));
		expect(objects.length).toBeGreaterThan(290);
	});
});
