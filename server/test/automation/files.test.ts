/**
 * Uploaded files of rows, and the empty sheets of a template: accepted files, refused files, and
 * limits.
 */
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { readXlsx, writeXlsx } from "hucre/xlsx";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSheetTitles } from "../../src/areas/automation/templates/rules/tables.ts";
import { buildEmptyCsv, readRows } from "../../src/areas/automation/templates/workers/spreadsheets.ts";
import { packParts, unpackParts } from "../../src/areas/automation/templates/workers/workbook-parts.ts";
import { API, type Body, REQUESTS, type Rig, startRig } from "../support/automation.ts";

let rig: Rig;
let template: Body;
const SCHEMA = [
	{ name: "name", field_type: "text", required: true },
	{ name: "vlan", field_type: "vlan" },
	{ name: "up", field_type: "boolean" },
];
beforeAll(async () => {
	rig = await startRig();
	template = await rig.template({ name: "Ports & VLANs", schema: SCHEMA });
});
afterAll(() => rig.close());

const BOUNDARY = "----a-boundary-of-tests";
function buildForm(file: string | Buffer, { field = "file", end = true } = {}): Buffer {
	const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${field}"; filename="rows"\r\ncontent-type: application/octet-stream\r\n\r\n`;
	return Buffer.concat([Buffer.from(head), Buffer.from(file), Buffer.from(end ? `\r\n--${BOUNDARY}--\r\n` : "")]);
}
const headers = { "content-type": `multipart/form-data; boundary=${BOUNDARY}` };
const uploadFile = (file: string | Buffer, { id = template.id, user = rig.alice, ...more }: Body = {}): Promise<Body> =>
	user.api.send("POST", `${API}templates/${id}/read-file/`, buildForm(file, more), headers);
const readTables = (file: string | Buffer, { id = template.id, user = rig.alice }: Body = {}): Promise<Body> =>
	user.api.send("POST", `${API}templates/${id}/read-tables/`, buildForm(file), headers);
const buildWorkbook = async (sheets: Parameters<typeof writeXlsx>[0]["sheets"]) =>
	Buffer.from(await writeXlsx({ sheets }));

/** An archive with one part. `claims` is what it says of its size. */
function buildZip(name: string, content: Buffer, claims = content.length): Buffer {
	const packed = deflateRawSync(content);
	const entry = Buffer.alloc(30 + name.length);
	entry.writeUInt32LE(0x04034b50, 0);
	entry.writeUInt16LE(8, 8);
	entry.writeUInt32LE(packed.length, 18);
	entry.writeUInt32LE(claims, 22);
	entry.writeUInt16LE(name.length, 26);
	entry.write(name, 30);
	const central = Buffer.alloc(46 + name.length);
	central.writeUInt32LE(0x02014b50, 0);
	central.writeUInt16LE(8, 10);
	central.writeUInt32LE(packed.length, 20);
	central.writeUInt32LE(claims, 24);
	central.writeUInt16LE(name.length, 28);
	central.write(name, 46);
	const end = Buffer.alloc(22);
	end.writeUInt32LE(0x06054b50, 0);
	end.writeUInt16LE(1, 8);
	end.writeUInt16LE(1, 10);
	end.writeUInt32LE(central.length, 12);
	end.writeUInt32LE(entry.length + packed.length, 16);
	return Buffer.concat([entry, packed, central, end]);
}

const SHEET = "xl/worksheets/sheet1.xml";
/** The workbook with its first sheet's XML changed. */
const editSheet = (file: Buffer, edit: (xml: string) => string): Buffer =>
	packParts(
		unpackParts(file).map(({ name, content }) =>
			name.toString() === SHEET ? { name, content: Buffer.from(edit(content.toString())) } : { name, content },
		),
	);
const replaceA2 = (file: Buffer, cell: string): Buffer =>
	editSheet(file, (xml) => xml.replace(/<c r="A2"[^>]*>.*?<\/c>/, cell));

describe("an upload", () => {
	it("of CSV gives rows that can be asked for, whatever its delimiter and line ends", async () => {
		const { status, body, text } = await uploadFile('\ufeffname,vlan,up\r\n"a, ""b""",10,yes\r\n\r\n\'=1+1,,\r\n');
		expect(status, text).toBe(200);
		expect(body).toEqual({
			input_data: [{ name: 'a, "b"', vlan: "10", up: "yes" }, { name: "=1+1" }],
			row_count: 2,
		});
		const made = await rig.alice.api.post(REQUESTS, { template: template.id, title: "T", input_data: body.input_data });
		expect(made.body.input_data).toEqual([{ name: 'a, "b"', vlan: 10, up: true }, { name: "=1+1" }]);
		expect((await uploadFile("vlan;name\n7;x\n")).body.input_data).toEqual([{ vlan: "7", name: "x" }]);
		expect((await uploadFile("")).body).toEqual({ input_data: [], row_count: 0 });
	});

	it("of XLSX gives the same, with numbers, truths and days as such; one sheet, or each by its name", async () => {
		const rows = [
			["name", "vlan", "up"],
			["leaf", 10, true],
			[new Date("2026-03-01T00:00:00Z"), null, null],
		];
		const file = await buildWorkbook([{ name: "Whatever", rows }]);
		expect((await uploadFile(file)).body.input_data).toEqual([
			{ name: "leaf", vlan: 10, up: true },
			{ name: expect.stringMatching(/^2026-03-01$|^\d+$/) },
		]);
		const sheet = (name: string) => ({
			name,
			variable: `v_${name.length}`,
			columns: [{ name: "c", field_type: "text" }],
		});
		const two = await rig.template({ schema: [], sheets: [sheet("A/B"), sheet("Ports")] });
		const both = await buildWorkbook([
			{ name: "ports", rows: [["c"], ["p"]] },
			{ name: "A B", rows: [["c"], ["x"], ["y"]] },
		]);
		const { body, text } = await uploadFile(both, { id: two.id });
		expect(body, text).toEqual({ input_data: { "A/B": [{ c: "x" }, { c: "y" }], Ports: [{ c: "p" }] }, row_count: 3 });
		const odd = await buildWorkbook([{ name: "Other", rows: [["c"]] }]);
		expect((await uploadFile(odd, { id: two.id })).body.file[0]).toContain('no sheet "Other"');
		expect((await uploadFile("c\nx\n", { id: two.id })).body.file[0]).toContain("several sheets");
	});

	it("names its columns by name or label, in any case and with other separators", async () => {
		const labelled = await rig.template({
			schema: [
				{ name: "name", label: "Tenant name", field_type: "text" },
				{ name: "exit_code", field_type: "number" },
			],
		});
		const read = (file: string) => uploadFile(file, { id: labelled.id });
		const rows = [{ name: "shop", exit_code: "1" }];
		expect((await read("NAME,Exit Code\nshop,1\n")).body.input_data).toEqual(rows);
		expect((await read("exit-code;tenant_name\n1;shop\n")).body.input_data).toEqual(rows);
		expect((await read("name,Name\nshop,1\n")).body.file[0]).toContain("twice");
	});

	it("of XLSX is read as the sheet shows it: zeros in front, days, times, hours, formulas with results", async () => {
		const serials: [number, string][] = [
			[7, "00000"],
			[42, "000-0000"],
			[1.5, "0.00"],
			[45000, "yyyy-mm-dd"],
			[45000.25, "yyyy-mm-dd h:mm"],
			[0.5729166667, "h:mm"],
			[0.5729282407, "h:mm:ss AM/PM"],
			[1.5, "[h]:mm"],
		];
		const cells = new Map<string, object>(serials.map(([, numFmt], row) => [`${row + 1},0`, { style: { numFmt } }]));
		const formula = new Map<string, object>([["9,0", { formula: "1+1", formulaResult: 2 }]]);
		const rows = [["name"], ...serials.map(([value]) => [value])];
		const file = await buildWorkbook([{ name: "Rows", rows, cells: new Map([...cells, ...formula]) }]);
		const { body, text } = await uploadFile(file);
		expect(body.input_data, text).toEqual(
			["00007", "000-0042", 1.5, "2023-03-15", "2023-03-15 06:00", "13:45", "13:45:01", "36:00", 2].map((name) => ({
				name,
			})),
		);
	});

	it.each([
		["an error", { value: "#N/A", type: "error" as const }, "the cell A3 holds the error #N/A"],
		["a formula without a result", { value: null, formula: "A1&A2" }, "the cell A3 has a formula without"],
	])("of XLSX with %s is refused with the cell and the remedy", async (_name, cell, words) => {
		const file = await buildWorkbook([{ name: "Rows", rows: [["name"], ["a"]], cells: new Map([["2,0", cell]]) }]);
		const { status, body } = await uploadFile(file);
		expect(status).toBe(400);
		expect(body.file[0]).toContain(words);
	});

	it("of CSV may name its delimiter as Excel does, and end as DOS programs end it", async () => {
		const rows = [{ name: "a,b", vlan: "7" }];
		for (const file of [
			"sep=;\nname;vlan\na,b;7\n",
			'\ufeff"sep=;"\r\nname;vlan\r\na,b;7\r\n',
			"name;vlan\na,b;7\n\x1a",
		]) {
			expect((await uploadFile(file)).body).toEqual({ input_data: rows, row_count: 1 });
		}
		expect((await uploadFile("SEP=|\nname|vlan\na,b|7\n")).body.input_data).toEqual(rows);
		expect((await readTables("sep=\t\nname\tvlan\n")).body.tables[0].rows).toEqual([["name", "vlan"]]);
	});

	it("of XLSX is read without the readings of Japanese texts, and with a note on hidden rows", async () => {
		const file = await buildWorkbook([
			{
				name: "Rows",
				rows: [["name"], ["phonetic"], ["b"], [null], ["c"]],
				rowDefs: new Map([
					[2, { hidden: true }],
					[3, { hidden: true }],
				]),
			},
		]);
		const reading = '<is><t>in</t><rPh sb="0" eb="1"><t>YOMI</t></rPh><phoneticPr fontId="1"/></is>';
		const withReading = replaceA2(file, `<c r="A2" t="inlineStr">${reading}</c>`);
		const note = 'Sheet "Rows": 1 hidden row is read, too (3). Delete what should not be read.';
		expect((await uploadFile(withReading)).body).toEqual({
			input_data: [{ name: "in" }, { name: "b" }, { name: "c" }],
			row_count: 3,
			notes: [note],
		});
		expect((await readTables(withReading)).body.tables).toEqual([
			{ name: "Rows", rows: [["name"], ["in"], ["b"], ["c"]], problem: null, notes: [note] },
		]);
	});

	it("a reader of XLSX resolves no entity, neither one of its own nor a file of the host", async () => {
		const file = await buildWorkbook([{ name: "Rows", rows: [["name"], ["a"]] }]);
		const declared = '<!DOCTYPE x [<!ENTITY own "expanded"><!ENTITY host SYSTEM "file:///etc/hostname">]>';
		const cell = '<c r="A2" t="inlineStr"><is><t>&own;|&host;|&amp;</t></is></c>';
		const hostile = editSheet(replaceA2(file, cell), (xml) => xml.replace("<worksheet", `${declared}<worksheet`));
		const { status, text } = await uploadFile(hostile);
		expect([status, JSON.parse(text).input_data]).toEqual([200, [{ name: "&own;|&host;|&" }]]);
	});

	it("of XLSX with a formula for a text is refused without a stored value, and read with an empty one", async () => {
		const file = await buildWorkbook([
			{
				name: "Rows",
				rows: [
					["name", "vlan"],
					["a", 7],
				],
			},
		]);
		const { status, body } = await uploadFile(replaceA2(file, '<c r="A2" t="str"><f>A1&amp;"x"</f></c>'));
		expect([status, body.file[0]]).toEqual([400, expect.stringContaining("the cell A2 has a formula without")]);
		const empty = await uploadFile(replaceA2(file, '<c r="A2" t="str"><f>IF(1,"")</f><v></v></c>'));
		expect(empty.body.input_data).toEqual([{ vlan: 7 }]);
		const stored = await uploadFile(replaceA2(file, '<c r="A2" t="str"><f>A1&amp;"x"</f><v>namex</v></c>'));
		expect(stored.body.input_data).toEqual([{ name: "namex", vlan: 7 }]);
	});

	it.each([
		["an unknown column", "name,colour\na,b\n", 'no column "colour"'],
		["a column twice", "name,name\na,b\n", "twice"],
		["a cell beside the columns", "name\n\na\na,b\n", "row 4"],
		["a quote that is not closed", 'name,vlan\na,1\n"b,2\nc,3\n', "Line 3: the cell that begins with a quote has no"],
		["a quote that another cell closes", 'name,vlan\n"a,1\n"b",2\nc,3\n', "Line 3: text follows the closing quote"],
		["a text that is not UTF-8", Buffer.from([0x6e, 0x61, 0x6d, 0x65, 0x0a, 0xe4, 0x0a]), "UTF-8"],
		["an archive that is cut", buildZip("a", Buffer.from("a")).subarray(0, 40), "can be read"],
		["an archive that is no workbook", buildZip("a.txt", Buffer.from("a")), "can be read"],
		["a bomb", buildZip("xl/workbook.xml", Buffer.alloc(250 * 1024 ** 2)), "once it is unpacked"],
		[
			"a bomb that claims to be small",
			buildZip("xl/workbook.xml", Buffer.alloc(250 * 1024 ** 2), 100),
			"once it is unpacked",
		],
	])("with %s is refused, and says why", async (_name, file, words) => {
		const { status, body, text } = await uploadFile(file);
		expect(status, text).toBe(400);
		expect(body.file[0]).toContain(words);
	});

	it("is bounded, is one file in a form, and is for those who see the template", async () => {
		const path = `${API}templates/${template.id}/read-file/`;
		expect((await uploadFile(Buffer.alloc(21 * 1024 ** 2, 0x61))).status).toBe(413);
		expect((await uploadFile(`name\n${"a\n".repeat(100_001)}`)).body.file[0]).toContain("at most 100000");
		expect(Object.keys((await uploadFile("name\na\n", { field: "other" })).body)).toEqual(["file"]);
		expect((await uploadFile("name\na\n", { end: false })).status).toBe(400);
		expect((await rig.alice.api.post(path, { file: "name" })).status).toBe(415);
		const bob = await rig.t.user("bob", ["Operator"]);
		expect((await uploadFile("name\na\n", { user: bob })).status).toBe(404);
		const nobody = await rig.t.anonymous.send("POST", path, buildForm("name\n"), headers);
		expect(nobody.status).toBe(401);
		expect((await rig.alice.api.send("POST", REQUESTS, buildForm("name\n"), headers)).status).toBe(415);
	});
});

describe("the tables of a file", () => {
	it("are read as texts, whatever their columns are", async () => {
		const { status, body, text } = await readTables("Owner;Name\n;shop\n\n'=1;\n");
		expect(status, text).toBe(200);
		expect(body).toEqual({
			tables: [
				{
					name: null,
					rows: [
						["Owner", "Name"],
						["", "shop"],
						["=1", ""],
					],
					problem: null,
				},
			],
		});
		const cells = new Map([["1,0", { value: "#N/A", type: "error" as const }]]);
		const file = await buildWorkbook([
			{
				name: "Plan",
				rows: [
					["VLAN", "Up"],
					[7, true],
					[null, null],
				],
			},
			{ name: "Broken", rows: [["name"], ["a"]], cells },
		]);
		expect((await readTables(file)).body.tables).toEqual([
			{
				name: "Plan",
				rows: [
					["VLAN", "Up"],
					["7", "true"],
				],
				problem: null,
			},
			{ name: "Broken", rows: [], problem: expect.stringContaining("the cell A2 holds the error #N/A") },
		]);
	});

	it("are refused with the reason, and are for those who see the template", async () => {
		expect((await readTables('name\n"open')).body.file[0]).toContain("no closing quote");
		expect((await readTables(`name\n${"a\n".repeat(100_001)}`)).body.file[0]).toContain("at most 100000");
		const carol = await rig.t.user("carol", ["Operator"]);
		expect((await readTables("name\na\n", { user: carol })).status).toBe(404);
	});
});

describe("an empty sheet", () => {
	it("names the columns, as CSV and as XLSX, and can be filled in and uploaded", async () => {
		const odd = await rig.template({ schema: [{ name: "=cmd|'/c'!A1", field_type: "text" }, ...SCHEMA] });
		const path = `${API}templates/${odd.id}/sheet/`;
		const csv = await rig.alice.api.get(`${path}?format=csv`);
		expect(csv.text).toBe("'=cmd|'/c'!A1,name,vlan,up\r\n");
		expect(csv.headers["content-type"]).toBe("text/csv; charset=utf-8");
		expect(csv.headers["content-disposition"]).toMatch(/^attachment; filename="[\w.-]+\.csv"$/);
		const filled = await uploadFile(`${csv.text}a,b,1,no\r\n`, { id: odd.id });
		expect(filled.body.input_data).toEqual([{ "=cmd|'/c'!A1": "a", name: "b", vlan: "1", up: "no" }]);
		const response = await rig.t.app.server.inject({
			url: path,
			headers: { authorization: `Bearer ${await fetchToken()}` },
		});
		expect(response.headers["content-type"]).toContain("spreadsheetml.sheet");
		const book = await readXlsx(response.rawPayload);
		expect(book.sheets.map(({ name, rows }) => [name, rows])).toEqual([
			["Rows", [["=cmd|'/c'!A1", "name", "vlan", "up"]]],
		]);
		expect(book.sheets[0]?.cells?.get("0,0")?.formula).toBeUndefined();
	});

	it("is one of several by name; a CSV holds one", async () => {
		const sheet = (name: string) => ({
			name,
			variable: name.toLowerCase(),
			columns: [{ name: `${name}1`, field_type: "text" }],
		});
		const two = await rig.template({ schema: [], sheets: [sheet("A"), sheet("B")] });
		const get = (query: string) => rig.alice.api.get(`${API}templates/${two.id}/sheet/?${query}`);
		expect((await get("format=csv&sheet=B")).text).toBe("B1\r\n");
		expect((await get("format=csv")).body.sheet[0]).toContain("A, B");
		expect((await get("sheet=C")).status).toBe(400);
		expect((await get("")).status).toBe(200);
	});
});

async function fetchToken(): Promise<string> {
	const { username, password } = rig.alice;
	return (await rig.t.anonymous.post("/api/auth/login/", { username, password })).body.access;
}

describe("whatever the names", () => {
	it("an empty CSV reads as no rows of these columns; titles of sheets are allowed ones and differ", async () => {
		const name = fc
			.string({ minLength: 1, maxLength: 40 })
			.filter((text) => text.trim() === text && !/[\p{Cc}]/u.test(text));
		await fc.assert(
			fc.asyncProperty(fc.uniqueArray(name, { minLength: 1, maxLength: 8 }), async (columns) => {
				const names = columns.map((column) => column.toWellFormed());
				if (new Set(names).size < columns.length || names.some((column) => /^'[=+\-@]/.test(column))) return;
				const sheet = { name: null, columns: names.map((column) => ({ name: column })) };
				expect((await readRows(Buffer.from(buildEmptyCsv(sheet)), [sheet], 10)).content).toEqual([[]]);
				const titles = readSheetTitles(columns);
				expect(new Set(titles.map((title) => title.toLowerCase())).size).toBe(columns.length);
				for (const title of titles) expect(title).toMatch(/^[^[\]:*?/\\]{1,31}$/);
			}),
			{ examples: [[['"#', ";#", "!"]]] },
		);
	});
});
