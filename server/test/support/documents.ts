/** The documents of the project, and the code in them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../..", import.meta.url));
const FOLDERS = ["", "docs", "docs/adr", "cli", "sdk", "lab", "examples"];

export const documents = FOLDERS.flatMap((folder) =>
	readdirSync(join(root, folder), { recursive: folder === "examples" })
		.map(String)
		.filter((name) => name.endsWith(".md"))
		.map((name) => join(root, folder, name)),
);
export const getText = (path: string): string => readFileSync(path, "utf8");

/** Blocks and spans of code. A line that ends with a backslash goes on with the next one. */
export function getCode(text: string): string[] {
	const blocks = [...text.matchAll(/^ *```.*\n([\s\S]*?)^ *```/gm)].map(([, code = ""]) => code);
	const spans = [...text.replace(/^ *```[\s\S]*?^ *```/gm, "").matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
	return [...blocks, ...spans].map((code) => code.replace(/\\\n\s*/g, " ").replaceAll("\\|", "|"));
}

/** The words after a program's name, for each call of it: up to a comment or the next command. */
export function getCalls(text: string, program: string): string[][] {
	const calls = new RegExp(`(?:^|[;&|]) *${program}((?: +[^\\s|;&>#)]+)+)`, "gm");
	return getCode(text).flatMap((code) =>
		[...code.matchAll(calls)].map(([, words = ""]) =>
			words
				.replace(/"[^"]*"|'[^']*'/g, "TEXT")
				.trim()
				.split(/ +/),
		),
	);
}
