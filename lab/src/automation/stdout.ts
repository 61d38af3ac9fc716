/** The stdout view in all its formats, with what it does to the text. */
import { NOT_FOUND } from "./lists.ts";
import { listStoredEvents } from "./runner.ts";
import type { Job } from "./types.ts";
import type { World } from "./world.ts";

export interface TextReply {
	readonly status: number;
	readonly type: string;
	readonly text: string;
	readonly headers?: Readonly<Record<string, string>>;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
const COLOURS = /\u001b\[[0-9;]*m/g;
const HTML =
	"<!DOCTYPE html>\n<html>\n  <head>\n    <title>Job Stdout &middot; AWX REST API</title>\n  </head>\n</html>\n";

/** The output so far. Backslashes are doubled and tabs are `\t`, as the database exports them. */
function readWholeText(world: World, job: Job): string {
	const { script } = job;
	if (script === null) return "";
	const specs = listStoredEvents(world, job)
		.map((counter) => script.at(counter - 1))
		.filter(({ stdout }) => stdout !== "")
		.sort((a, b) => a.startLine - b.startLine);
	const text = specs.map(({ stdout }) => `${stdout.replaceAll("\r\n", "\n")}\n`).join("");
	return text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t");
}

export function getStdout(world: World, job: Job, query: URLSearchParams, accept: string): TextReply {
	const format = query.get("format") ?? (accept.includes("application/json") ? "json" : "html");
	const name = `job_${job.id}`;
	const plain = (text: string): TextReply => ({ status: 200, type: "text/plain; charset=utf-8", text });
	const text = readWholeText(world, job);
	const bytes = Buffer.byteLength(text);
	const limit = world.behaviour.display_bytes;
	const refusal =
		bytes > limit
			? `Standard Output too large to display (${bytes} bytes), only download supported for sizes over ${limit} bytes.`
			: null;
	switch (format) {
		case "txt":
			return plain(refusal ?? text.replace(COLOURS, ""));
		case "ansi":
			return plain(refusal ?? text);
		case "txt_download":
		case "ansi_download": {
			const ansi = format === "ansi_download";
			const disposition = `attachment; filename="${name}${ansi ? ".ansi" : ""}.txt"`;
			return {
				status: 200,
				type: "text/plain",
				text: ansi ? text : text.replace(COLOURS, ""),
				headers: { "Content-Disposition": disposition },
			};
		}
		case "json":
			return getJson(text, refusal, query);
		case "html":
		case "api":
			return { status: 200, type: "text/html; charset=utf-8", text: HTML };
		default:
			return { status: 404, type: "text/html; charset=utf-8", text: HTML };
	}
}

function getJson(text: string, refusal: string | null, query: URLSearchParams): TextReply {
	const json = (status: number, body: unknown): TextReply => ({
		status,
		type: "application/json",
		text: JSON.stringify(body),
	});
	const [from, to] = [query.get("start_line") ?? "0", query.get("end_line")];
	if (!/^-?\d+$/.test(from) || (to !== null && !/^-?\d+$/.test(to))) {
		return json(500, { detail: "A server error has occurred." });
	}
	if (refusal !== null) return json(200, { range: { start: 0, end: 1, absolute_end: 1 }, content: refusal });
	const lines = text.split("\n").slice(0, -1);
	const start = Number(from) < 0 ? Math.max(0, lines.length + Number(from)) : Number(from);
	const end = to === null ? lines.length : Math.min(lines.length, Number(to));
	const content = lines
		.slice(start, end)
		.map((line) => `${line}\n`)
		.join("");
	return json(200, {
		range: { start, end, absolute_end: lines.length },
		content: query.get("content_encoding") === "base64" ? Buffer.from(content).toString("base64") : content,
	});
}

/** What a refusal looks like in a text format: the exception as Python writes it. */
export function findTextRefusal(status: 403 | 404, text: string): TextReply {
	const code = status === 403 ? "permission_denied" : "not_found";
	const body = `{'detail': ErrorDetail(string='${text || NOT_FOUND}', code='${code}')}`;
	return { status, type: "text/plain; charset=utf-8", text: body };
}
