/** API tokens and what their owners are notified of. */
import { expect } from "vitest";
import type { Api, TestApp, TestUser } from "./harness.ts";

export const TOKENS = "/api/auth/tokens/";
export const PROFILE = "/api/auth/profile/";
export const DAY = 24 * 3_600_000;

/** Creates a token of the user, and a client that sends it. */
export async function createToken(
	t: TestApp,
	user: TestUser,
	more: object = {},
): Promise<{ id: string; token: string; api: Api }> {
	const { status, body, text } = await user.api.post(TOKENS, { name: "ci", ...more });
	expect(status, text).toBe(201);
	return { id: body.id, token: body.token, api: t.as(body.token) };
}
/** Notifications, without those of new tokens. */
export async function listLaterNotices(api: Api): Promise<{ title: string; body: string; link: string }[]> {
	const { body } = await api.get("/api/notifications/notifications/");
	return body.results.filter(({ title }: { title: string }) => !title.endsWith("was created"));
}
/** A header that says that a request comes from another address than the test's own. */
export const buildForwardedHeader = (address: string): Record<string, string> => ({ "x-forwarded-for": address });
