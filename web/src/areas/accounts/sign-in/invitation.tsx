/** The page behind an invitation's link: chooses the first password, and signs in. */
import { useLocation, useRouter } from "@tanstack/react-router";
import { invitationRoutes } from "@weft/contracts/browser";
import type { FormEvent } from "react";
import { callRoute, useAction, useAnswer } from "../../../platform/call.ts";
import { findProblem } from "../../../platform/problem.ts";
import { client } from "../../../platform/weft.ts";
import { Button } from "../../../ui/button.tsx";
import { PasswordField } from "../../../ui/field.tsx";
import { ProblemBanner } from "../../../ui/page.tsx";
import { Frame } from "./frame.tsx";

export function InvitationPage() {
	const router = useRouter();
	const token = useLocation({ select: ({ hash }) => new URLSearchParams(hash).get("token") ?? "" }) || "none";
	const answer = useAnswer(
		invitationRoutes.detail,
		{ params: { token } },
		{
			staleTime: Number.POSITIVE_INFINITY,
		},
	);
	const accept = useAction(
		async (password: string) => {
			const { username } = await callRoute(invitationRoutes.accept, { params: { token }, body: { password } });
			await client.signIn(username, password);
		},
		{ onSuccess: () => router.navigate({ to: "/", replace: true }) },
	);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		accept.mutate(String(new FormData(event.currentTarget).get("password")));
	};
	const fields = accept.error === null ? {} : findProblem(accept.error).fields;
	return (
		<Frame title="Welcome to Weft">
			{answer.error !== null ? (
				<ProblemBanner error={answer.error} />
			) : answer.data === undefined ? (
				<p className="m-0 text-muted">Loading…</p>
			) : (
				<form className="flex flex-col gap-3.5" onSubmit={submit}>
					{accept.error !== null && fields.password === undefined && <ProblemBanner error={accept.error} />}
					<p className="m-0">
						Your username is <strong>{answer.data.username}</strong>. Choose a password to sign in with.
					</p>
					<input type="hidden" name="username" autoComplete="username" value={answer.data.username} />
					<PasswordField
						label="Password"
						name="password"
						autoComplete="new-password"
						required
						error={fields.password}
					/>
					<Button variant="primary" type="submit" busy={accept.isPending} className="w-full">
						Set the password and sign in
					</Button>
				</form>
			)}
		</Frame>
	);
}
