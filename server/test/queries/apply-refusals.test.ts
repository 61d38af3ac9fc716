/** Files of queries and schedules that are only read, refused, or beyond quotas and limits. */
import { APPLY_LIMITS, DEFAULT_DRIFT_RULES } from "@weft/contracts";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TestApp, TestUser } from "../support/harness.ts";
import {
	APPLY,
	addConnection,
	applyFiles,
	applyForChanges,
	applyForErrors,
	buildQueryFile,
	EXPORT,
	exportFiles,
	type File,
	listOwnQueries,
	READ,
	TASKS,
	useQueryFiles,
	VALIDATE,
} from "../support/query-files.ts";
import { setRights } from "../support/rights.ts";

const queryFiles = useQueryFiles();
const { addUser, buildScheduleFile } = queryFiles;
let t: TestApp;
let ada: TestUser;
beforeAll(() => {
	({ t } = queryFiles);
});
beforeEach(() => {
	({ ada } = queryFiles);
});

let names = 0;

describe("a file that is read to be run", () => {
	it("is answered as the API has queries, whatever names others use", async () => {
		const bob = await addUser();
		await applyForChanges(bob, [buildQueryFile("Public of Bob", "is_public: true\n")]);
		const { path, content } = buildQueryFile("Public of Bob", "category: No such category\nvariables:\n  - id: v\n");
		const joined = content
			.replace("edges: []", "edges:\n    - source: a\n      target: out")
			.replace("name: Public of Bob", "    - { id: out, type: outputNode }\nname: Public of Bob");
		const { status, body, text } = await ada.api.post(READ, { path, content: joined });
		expect(status, text).toBe(200);
		expect(body).toEqual({
			name: "Public of Bob",
			description: "",
			category: "No such category",
			tags_list: [],
			is_public: false,
			is_template: false,
			enable_time_machine: false,
			flow_data: {
				nodes: [
					{ id: "a", type: "classNode", data: { className: "fvTenant" } },
					{ id: "out", type: "outputNode" },
				],
				edges: [{ id: "a-out", source: "a", target: "out" }],
			},
			post_processors: [],
			variables: [expect.objectContaining({ id: "v" })],
			drift_rules: DEFAULT_DRIFT_RULES,
		});
		expect(await listOwnQueries(ada)).toEqual([]);
	});

	it("is refused with the line of each error", async () => {
		queryFiles.model = { version: "6.0(9c)", find: () => undefined } as never;
		const wrong = async (file: File) => (await ada.api.post(READ, file)).body.errors;
		expect(await wrong(buildQueryFile("Class"))).toEqual([
			{ path: "queries/class.yaml", line: 6, message: 'There is no class "fvTenant" in the class model 6.0(9c).' },
		]);
		expect(await wrong(buildScheduleFile("Daily", "Class"))).toEqual([
			{ path: "schedules/daily.yaml", line: 1, message: "kind: Must be query." },
		]);
		expect(await wrong({ path: "a.yaml", content: "kind: query\nname: [\n" })).toHaveLength(1);
	});
});

describe("refusals", () => {
	it("list every error of every file with its line, and nothing is changed", async () => {
		queryFiles.model = { version: "6.0(9c)", find: (name: string) => (name === "fvTenant" ? {} : undefined) } as never;
		const bob = await addUser();
		await applyForChanges(bob, [buildQueryFile("Taken", "is_public: true\n"), buildQueryFile("Mine")]);
		await addConnection(bob, "Of two", { is_public: true });
		await addConnection(await addUser(), "Of two", { is_public: true });
		const errors = await applyForErrors(ada, [
			buildQueryFile("Good"),
			{ path: "queries/bad.yaml", content: "kind: query\nname: [\n" },
			{ path: "queries/check.yaml", content: "kind: group\n" },
			buildQueryFile("Class", "", "fvInvented"),
			{ ...buildQueryFile("Good"), path: "queries/again.yaml" },
			{ ...buildQueryFile("Path"), path: "queries/good.yaml" },
			buildQueryFile("Taken"),
			buildQueryFile("Mine"),
			buildScheduleFile("One", "Nowhere"),
			{
				path: "schedules/two.yaml",
				content: buildScheduleFile("Two", "Good").content.replace(
					`- Fabric of ${ada.username}`,
					"- Of two\n  - Missing",
				),
			},
		]);
		expect(errors).toEqual([
			"queries/again.yaml:9: name: The file queries/good.yaml has a query of this name, too.",
			expect.stringMatching(/^queries\/bad\.yaml:[23]: /),
			"queries/check.yaml:1: Unknown kind. Kinds: query, schedule, check, connection, change_plan, calendar_entry.",
			'queries/class.yaml:6: There is no class "fvInvented" in the class model 6.0(9c).',
			"queries/good.yaml:1: Another file has this path.",
			`queries/taken.yaml:9: name: ${bob.username} has a query "Taken" that you can see. Choose another name.`,
			`schedules/one.yaml:3: controller_connections: There is no connection "Fabric of ${ada.username}" that you can see.`,
			'schedules/one.yaml:6: saved_query: There is no query "Nowhere" that you can see.',
			'schedules/two.yaml:3: controller_connections: 2 connections have the name "Of two". Rename one of them.',
			'schedules/two.yaml:4: controller_connections: There is no connection "Missing" that you can see.',
		]);
		expect(await listOwnQueries(ada)).toEqual([]);
		const { body } = await ada.api.post(VALIDATE, { files: [buildQueryFile("Class", "", "fvInvented")] });
		expect(body.errors).toHaveLength(1);
	});

	it("of schedules name the line of the field", async () => {
		await addConnection(ada);
		const variables = "variables:\n  - id: tenant\n    label: T\n    required: true\n    type: text\n";
		const files = (more: string, change = (text: string) => text) => {
			const { path, content } = buildScheduleFile("Daily", "Asking", more);
			return [buildQueryFile("Asking", variables), { path, content: change(content) }];
		};
		expect(await applyForErrors(ada, files(""))).toEqual([
			expect.stringMatching(/^schedules\/daily\.yaml:5: variable_values/),
		]);
		expect(await applyForErrors(ada, files("variable_values: {}\n"))).toEqual([
			expect.stringMatching(/^schedules\/daily\.yaml:9: variable_values/),
		]);
		const values = "variable_values:\n  tenant: prod\n";
		expect(
			await applyForErrors(
				ada,
				files(values, (text) => text.replace("daily", "weekly")),
			),
		).toEqual(["schedules/daily.yaml:5: day_of_week: A task that runs weekly needs this field."]);
		expect(await applyForErrors(ada, files(`${values}email_recipients: [eve@elsewhere.test]\n`))).toEqual([
			expect.stringMatching(/^schedules\/daily\.yaml:11: email_recipients: No user has eve@elsewhere\.test/),
		]);
		expect(await applyForChanges(ada, files(values))).toHaveLength(2);
		// Two of one name are ambiguous.
		const { body: tasks } = await ada.api.get(`${TASKS}?my_tasks=true`);
		await ada.api.post(`${TASKS}${tasks.results[0].id}/clone/`);
		const { body: copies } = await ada.api.get(`${TASKS}?my_tasks=true&search=Copy`);
		await ada.api.patch(`${TASKS}${copies.results[0].id}/`, { name: "Daily" });
		expect(await applyForErrors(ada, files(values))).toEqual([
			'schedules/daily.yaml:5: name: You have 2 schedules "Daily". Rename or delete all but one.',
		]);
	});

	it("are for those who may not do it: rights and quotas", async () => {
		const eve = await addUser([]);
		await setRights(t, eve, { permissions: ["view_savedquery"] });
		expect((await eve.api.post(VALIDATE, { files: [buildQueryFile("One")] })).body.changes).toHaveLength(1);
		expect((await applyFiles(eve, [buildQueryFile("One")], { dry_run: true })).status).toBe(200);
		const refused = await applyFiles(eve, [buildQueryFile("One")]);
		expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining("add_savedquery")]);
		await setRights(t, eve, { permissions: ["view_savedquery", "add_savedquery"] });
		expect(await applyForErrors(eve, [buildQueryFile("One", `category: None of ${eve.username}\n`)])).toEqual([
			expect.stringMatching(/^queries\/one\.yaml:10: category: /),
		]);
		expect(await applyForChanges(eve, [buildQueryFile("One")])).toEqual(["created query One"]);
		const update = await applyFiles(eve, [buildQueryFile("One", "description: x\n")]);
		expect([update.status, update.body.detail]).toEqual([403, expect.stringContaining("change_savedquery")]);
		const prune = await applyFiles(eve, [buildQueryFile("Two")], { prune: true });
		expect([prune.status, prune.body.detail]).toEqual([403, expect.stringContaining("delete_savedquery")]);
		expect((await listOwnQueries(eve)).map(({ name }: { name: string }) => name)).toEqual(["One"]);
		await setRights(t, eve, {});
		expect((await applyFiles(eve, [])).status).toBe(403);
		expect((await eve.api.get(EXPORT)).status).toBe(403);
		expect((await t.anonymous.get(EXPORT)).status).toBe(401);
	});
});

describe("quotas", () => {
	const limited = async (quota: Record<string, unknown>): Promise<TestUser> => {
		const name = `Limited ${++names}`;
		const { body } = await t.admin.api.post("/api/auth/groups/", { name });
		await t.admin.api.put(`/api/auth/groups/${body.id}/quota/`, quota);
		return addUser(["Editor", name]);
	};
	const refusedQuota = async (user: TestUser, files: readonly File[], more: Record<string, unknown> = {}) => {
		const { status, body, text } = await applyFiles(user, files, more);
		expect(status, text).toBe(403);
		return body.quota;
	};

	it("limit how many queries there are afterwards, all files or none", async () => {
		const user = await limited({ queries_max: 2 });
		const [one, two, three] = [buildQueryFile("One"), buildQueryFile("Two"), buildQueryFile("Three")];
		expect(await refusedQuota(user, [one, two, three])).toBe("queries_max");
		expect(await listOwnQueries(user)).toEqual([]);
		expect(await applyForChanges(user, [one, two, three], { dry_run: true })).toHaveLength(3);
		await applyForChanges(user, [one, two]);
		expect(await applyForChanges(user, [one, buildQueryFile("Two", "description: new\n")])).toContain(
			"updated query Two",
		);
		expect(await refusedQuota(user, [three])).toBe("queries_max");
		// What prune deletes makes room.
		expect(await applyForChanges(user, [one, three], { prune: true })).toEqual([
			"unchanged query One",
			"created query Three",
			"deleted query Two",
		]);
		expect(await refusedQuota(user, [one, three, two], { prune: true })).toBe("queries_max");
		expect((await exportFiles(user)).map(({ path }) => path)).toEqual(["queries/one.yaml", "queries/three.yaml"]);
	});

	it("limit how many schedules there are afterwards", async () => {
		ada = await limited({ scheduled_tasks_max: 1 });
		queryFiles.ada = ada;
		await addConnection(ada);
		const files = (name: string) => [buildQueryFile("Tenants"), buildScheduleFile(name, "Tenants")];
		await applyForChanges(ada, files("Daily"));
		expect(await refusedQuota(ada, files("Nightly"))).toBe("scheduled_tasks_max");
		expect(await applyForChanges(ada, files("Nightly"), { prune: true })).toContain("deleted schedule Daily");
		expect((await exportFiles(ada)).map(({ path }) => path)).toEqual([
			"queries/tenants.yaml",
			"schedules/nightly.yaml",
		]);
	});

	it.each([
		["can_create_queries", ""],
		["can_share", "is_public: true\n"],
		["can_use_time_machine", "enable_time_machine: true\n"],
	])("%s holds for new files", async (right, more) => {
		const user = await limited({ [right]: false });
		expect(await refusedQuota(user, [buildQueryFile("One", more)])).toBe(right);
		expect(await listOwnQueries(user)).toEqual([]);
	});

	it.each([
		["can_share", "is_public: true\n"],
		["can_use_time_machine", "enable_time_machine: true\n"],
	])("%s holds for changed files", async (right, more) => {
		const user = await limited({ [right]: false });
		await applyForChanges(user, [buildQueryFile("One")]);
		expect(await refusedQuota(user, [buildQueryFile("Two"), buildQueryFile("One", more)])).toBe(right);
		expect((await exportFiles(user)).map(({ path }) => path)).toEqual(["queries/one.yaml"]);
	});
});

describe("limits", () => {
	const { files: filesMax, fileLength, body: bodyMax, errors, errorsPerFile } = APPLY_LIMITS;
	const padded = ({ path, content }: File, length = fileLength): File => ({
		path,
		content: content + "#".repeat(length - content.length),
	});
	const JSON_HEADERS = { "content-type": "application/json" };

	it("are 5,000 files and 200 errors", async () => {
		const wrong = (count: number) =>
			Array.from({ length: count }, (_, i) => ({ path: `q${i}`, content: "kind: group" }));
		const most = await applyFiles(ada, wrong(filesMax));
		expect([most.status, most.body.errors.length]).toEqual([400, errors]);
		for (const path of [APPLY, VALIDATE]) {
			const { status, body } = await ada.api.post(path, { files: wrong(filesMax + 1) });
			expect([status, body]).toEqual([400, { files: ["Must have at most 5000 files."] }]);
		}
	});

	it("are 1 MiB characters of a file, and paths of 500", async () => {
		expect(await applyForChanges(ada, [padded(buildQueryFile("Long"))])).toEqual(["created query Long"]);
		const long = await applyFiles(ada, [padded(buildQueryFile("Long"), fileLength + 1)]);
		expect([long.status, long.body]).toEqual([400, { "files.0.content": ["Must have at most 1,048,576 characters."] }]);
		const path = await applyFiles(ada, [{ ...buildQueryFile("Long"), path: "p".repeat(501) }]);
		expect([path.status, Object.keys(path.body)]).toEqual([400, ["files.0.path"]]);
	});

	it("are 32 MiB of a request", async () => {
		const files = Array.from({ length: 31 }, (_, i) => padded(buildQueryFile(`Large-${i}`), fileLength - 100));
		const text = JSON.stringify({ files, dry_run: true });
		expect(text.length).toBeLessThan(bodyMax);
		const most = await ada.api.send("POST", APPLY, text.padEnd(bodyMax), JSON_HEADERS);
		expect([most.status, most.body.changes?.length]).toEqual([200, 31]);
		const more = await ada.api.send("POST", APPLY, text.padEnd(bodyMax + 1), JSON_HEADERS);
		expect([more.status, Object.keys(more.body)]).toEqual([413, ["detail"]]);
		expect(await listOwnQueries(ada)).toEqual([]);
	});

	const nines = (name: string) => `[${Array(9).fill(name).join(", ")}]`;
	const LETTERS = [..."abcdefghij"];
	it.each<[string, string, RegExp]>([
		[
			"aliases of aliases",
			LETTERS.map((letter, i) => `${letter}: &${letter} ${nines(i === 0 ? "x" : `*${LETTERS[i - 1]}`)}\n`).join(""),
			/^Aliases are not supported/,
		],
		["an alias of itself", "kind: query\nname: &a [*a]\n", /^Aliases are not supported/],
		["a merge key", "kind: query\nname: &a {x: 1}\n<<: *a\n", /^Aliases are not supported/],
		["more aliases than a call has arguments", `kind: &a x\nb:\n${"  - *a\n".repeat(140_000)}`, /^Aliases are not/],
		["nested lists", `kind: query\nname: ${"[".repeat(20_000)}${"]".repeat(20_000)}\n`, /nested too deeply/],
		["nested mappings", `kind: query\nname: ${"{a: ".repeat(20_000)}${"}".repeat(20_000)}\n`, /nested too deeply/],
		["nested blocks", `kind: query\nname:\n  ${"- ".repeat(50_000)}x\n`, /nested too deeply/],
		["lists that are never closed", "[".repeat(100_000), /nested too deeply/],
		[
			"more than 64 levels of layout",
			`${buildQueryFile("Deep").content}layout: ${"{a: ".repeat(65)}1${"}".repeat(65)}\n`,
			/nested deeper than 64 levels/,
		],
		["a key 100,000 times", `kind: query\nflow_data:\n${"  a: 1\n".repeat(100_000)}`, /^The key "a" occurs twice/],
		["a key that is spelled otherwise", 'kind: query\n"kind": schedule\n', /^The key "kind" occurs twice/],
		[
			"the prototype as a key",
			`${buildQueryFile("Proto").content}__proto__: {is_public: true}\n`,
			/^There is no key "__proto__"/,
		],
		["many documents", "---\nkind: query\n".repeat(10_000), /^A file holds one document/],
		["a tag that would run code", 'kind: !!js/function "function () {}"\n', /^Unresolved tag/],
	])("refuse %s with their lines, and change nothing", async (_what, content, message) => {
		const { status, body, text } = await applyFiles(ada, [
			buildQueryFile("Good"),
			{ path: "queries/bomb.yaml", content },
		]);
		expect(status, text).toBe(400);
		expect(body.errors.length).toBeLessThanOrEqual(errorsPerFile);
		expect(body.errors[0]).toEqual({
			path: "queries/bomb.yaml",
			line: expect.any(Number),
			message: expect.stringMatching(message),
		});
		expect(body.errors[0].line).toBeGreaterThan(0);
		expect(await listOwnQueries(ada)).toEqual([]);
	});
});

/** Deletes the object of a table in the transaction that adds a category, as another one may. */
async function deleteWithNextCategory(table: string, id: string) {
	await t.pool.query(`
		create function delete_meanwhile() returns trigger language plpgsql as $$ begin
			delete from ${table} where id = '${id}'; return new; end $$;
		create trigger delete_meanwhile before insert on query_categories for each row execute function delete_meanwhile()`);
	return () => t.pool.query("drop trigger delete_meanwhile on query_categories; drop function delete_meanwhile");
}

describe("an object that is deleted while files are applied", () => {
	const newCategory = (name: string) => buildQueryFile("Other", `category: ${name}\n`);

	it.each([
		["query", "saved_queries"],
		["schedule", "scheduled_tasks"],
	])("makes the request of a changed %s fail, and nothing is changed", async (noun, table) => {
		await addConnection(ada);
		const schedule = (more = "") => buildScheduleFile("Daily", "Kept", more);
		await applyForChanges(ada, [buildQueryFile("Kept"), schedule()]);
		const [query] = await listOwnQueries(ada);
		const { body: tasks } = await ada.api.get(`${TASKS}?my_tasks=true`);
		const stop = await deleteWithNextCategory(table, noun === "query" ? query.id : tasks.results[0].id);
		const changed =
			noun === "query"
				? [buildQueryFile("Kept", "description: changed\n")]
				: [buildQueryFile("Kept"), schedule("description: changed\n")];
		const { status, body } = await applyFiles(ada, [newCategory(`New ${noun}`), ...changed]);
		await stop();
		expect([status, body.detail]).toEqual([409, `A ${noun} was deleted at the same time. Try again.`]);
		expect(await listOwnQueries(ada)).toHaveLength(1);
	});
});
