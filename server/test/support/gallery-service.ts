/** The gallery of a service that runs from a package. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { TEST_PASSWORD } from "./harness.ts";
import { root } from "./packed.ts";

/** Names of the files of questions in the project's folder. */
export async function listQuestionFiles(): Promise<string[]> {
	const files = await readdir(join(root, "server/gallery"));
	return files.filter((name) => !name.endsWith(".fixture.yaml"));
}

/** Questions that the service lists for its first user. */
export async function countQuestions(url: string): Promise<number> {
	const body = JSON.stringify({ username: "admin", password: TEST_PASSWORD });
	const headers = { "content-type": "application/json" };
	const login = await fetch(`${url}/api/auth/login/`, { method: "POST", headers, body });
	const { access } = (await login.json()) as { access: string };
	const answer = await fetch(`${url}/api/queries/gallery/`, { headers: { authorization: `Bearer ${access}` } });
	return ((await answer.json()) as { count: number }).count;
}
