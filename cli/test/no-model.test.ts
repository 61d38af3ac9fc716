/** A service without a class model: searches and lookups say so. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BIN, useCli } from "./support/cli.ts";

const MESSAGE = "No class model is loaded. Import one on the page Model versions.";
const cli = useCli();
let client: Client;
beforeAll(async () => {
	client = new Client({ name: "test", version: "1" });
	const env = { PATH: process.env.PATH ?? "", XDG_CONFIG_HOME: cli.home };
	await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, "mcp"], env }));
});
afterAll(() => client.close());

describe("without a class model", () => {
	it.each([
		["search", "bridge domain"],
		["class", "fvBD"],
		["path", "fvTenant", "fvBD"],
	])("weft model %s ends with 2 and the remedy", async (...args) => {
		const answer = await cli.weft("model", ...args);
		expect(answer).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(MESSAGE) });
	});

	it.each([
		["search_classes", { query: "bridge domain" }],
		["get_class", { class_name: "fvBD" }],
	])("the tool %s answers with an error and the remedy", async (name, input) => {
		const { content, isError } = await client.callTool({ name, arguments: input });
		expect([isError, content]).toEqual([true, [{ type: "text", text: expect.stringContaining(MESSAGE) }]]);
	});
});
