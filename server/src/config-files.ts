/** Secret settings from files, as Docker and Kubernetes mount them. */
import { readFileSync, statSync } from "node:fs";
import { SECRET_NAMES } from "./settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_BYTES = 64 * 1024;

/**
 * Adds to the environment the secret settings that `NAME_FILE` names a file for. The file's last
 * line break does not count. Errors name the variable and the file, never its content.
 */
export function readSecretFiles(environment: Environment, errors: string[]): Environment {
	const found: Record<string, string> = {};
	for (const name of SECRET_NAMES) {
		const path = environment[`${name}_FILE`]?.trim();
		if (!path) continue;
		if (environment[name]?.trim()) {
			errors.push(`${name} and ${name}_FILE are both set. Remove one of them.`);
			continue;
		}
		const text = readText(path);
		if ("problem" in text) errors.push(`${name}_FILE: ${path} ${text.problem}`);
		else found[name] = text.value;
	}
	return { ...environment, ...found };
}

function readText(path: string): { readonly value: string } | { readonly problem: string } {
	try {
		if (statSync(path).size > MAX_BYTES) return { problem: "is too large to be a secret: 64 KB at most." };
		const value = readFileSync(path, "utf8").replace(/\r?\n$/, "");
		return value.trim() === "" ? { problem: "is empty." } : { value };
	} catch (error) {
		return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code}).` };
	}
}
