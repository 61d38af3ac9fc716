/** Questions of the gallery with their fixtures, and runs on the simulated controller. */
import { readdirSync, readFileSync } from "node:fs";
import type { Question } from "@weft/contracts";
import { expect } from "vitest";
import { parse } from "yaml";
import { parseQuestionFile } from "../../src/areas/answers/gallery/rules/question-file.ts";
import type { Api } from "./harness.ts";
import { waitUntil } from "./harness.ts";
import type { Runs } from "./runs.ts";

export const GALLERY = "/api/queries/gallery/";
const GROUP_RUNS = "/api/queries/group-executions/";
const FOLDER = new URL("../../gallery/", import.meta.url);

type LabObject = Readonly<Record<string, { readonly attributes: Readonly<Record<string, string>> }>>;
type FlatRow = Record<string, unknown>;

interface Fixture {
	readonly variables: Readonly<Record<string, string>>;
	/** Objects that give no rows. */
	readonly nearMisses: readonly LabObject[];
	/** Objects that give `rows` when they are there too. */
	readonly matching: readonly LabObject[];
	/** Values that each row must have. */
	readonly rows: readonly FlatRow[];
}

const readText = (name: string): string => readFileSync(new URL(name, FOLDER), "utf8");

/** The keys of the folder's question files, also of one that was added just now. */
export const listKeys = (): string[] =>
	readdirSync(FOLDER)
		.filter((name) => !name.endsWith(".fixture.yaml"))
		.map((name) => name.replace(/\.yaml$/, ""))
		.sort();

export const readQuestion = (key: string): Question => parseQuestionFile(key, readText(`${key}.yaml`));

const readObjects = (list: readonly Record<string, Record<string, string>>[]): LabObject[] =>
	list.map((entry) => Object.fromEntries(Object.entries(entry).map(([name, attributes]) => [name, { attributes }])));

export function readFixture(key: string): Fixture {
	const { variables = {}, near_misses, matching, rows } = parse(readText(`${key}.fixture.yaml`));
	return { variables, nearMisses: readObjects(near_misses), matching: readObjects(matching), rows };
}

/** Runs the question with its route, and returns the rows as flat ones. */
export async function askQuestion(
	api: Api,
	key: string,
	connection: string,
	variable_values: Readonly<Record<string, string>>,
): Promise<FlatRow[]> {
	const started = await api.post(`${GALLERY}${key}/run/`, { controller_connection_ids: [connection], variable_values });
	expect(started.status, `${key}: ${started.text}`).toBe(202);
	const ended = await waitUntil(`${key} has ended`, async () => {
		const { body } = await api.get(`${GROUP_RUNS}${started.body.id}/`);
		return body.status === "running" ? null : body;
	});
	expect(ended.status, `${key}: ${JSON.stringify(ended.runs)}`).toBe("completed");
	const { body } = await api.get(`${ended.results_url}?page_size=200`);
	return body.results.map(({ connection: _connection, ...row }: FlatRow) => {
		const [only] = Object.values(row);
		const isObject = typeof only === "object" && only !== null && "attributes" in only;
		return isObject ? (only.attributes as FlatRow) : row;
	});
}

/** Why the question does not pass its fixture; null if it does. */
export async function findFixtureProblem({ lab, ada, connection }: Runs, key: string): Promise<string | null> {
	const { variables, nearMisses, matching, rows } = readFixture(key);
	if (nearMisses.length === 0 || matching.length === 0 || rows.length === 0) return `${key}: the fixture is empty`;
	for (const { objects, expected } of [
		{ objects: nearMisses, expected: [] },
		{ objects: [...nearMisses, ...matching], expected: rows },
	]) {
		lab.reset();
		const report = lab.load({ imdata: objects });
		if (report.skipped > 0) return `${key}: the fixture has objects without a place`;
		const found = await askQuestion(ada.api, key, connection, variables);
		const missing = expected.filter((row) => !found.some((other) => hasValues(other, row)));
		if (missing.length === 0 && found.length === expected.length) continue;
		return `${key}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`;
	}
	return null;
}

const hasValues = (row: FlatRow, wanted: FlatRow): boolean =>
	Object.entries(wanted).every(([name, value]) => JSON.stringify(row[name]) === JSON.stringify(value));
