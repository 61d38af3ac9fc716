/**
 * Password reset: requests a link by mail, and sets a password with it or an administrator's code.
 */
import { getRouteApi, Link } from "@tanstack/react-router";
import { authRoutes, recoveryRoutes } from "@weft/contracts/browser";
import type { FormEvent } from "react";
import { callRoute, useAction, useAnswer } from "../../../platform/call.ts";
import { findProblem } from "../../../platform/problem.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { PasswordField, TextField } from "../../../ui/field.tsx";
import { Banner, ProblemBanner, Skeleton } from "../../../ui/page.tsx";
import { Frame } from "./frame.tsx";

const newPassword = getRouteApi("/outside/reset-password");

export function ResetPage() {
	const { data: ways, isPending } = useAnswer(authRoutes.health, undefined, { staleTime: Number.POSITIVE_INFINITY });
	const ask = useAction((email: string) => callRoute(recoveryRoutes.request, { body: { email } }));
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		ask.mutate(String(new FormData(event.currentTarget).get("email")).trim());
	};
	return (
		<Frame title="Forgotten password">
			<div className="flex flex-col gap-4">
				{ask.isSuccess ? (
					<Banner
						tone="ok"
						title="If an account has this address, a mail has been sent."
						detail="The link is valid for one hour, once."
					/>
				) : isPending ? (
					<Skeleton lines={2} className="p-0" />
				) : ways?.email_enabled === false ? (
					<Banner tone="info" title="Mail is not configured." detail="Ask an administrator for a reset code." />
				) : (
					<form className="flex flex-col gap-3.5" onSubmit={submit}>
						{ask.error !== null && findProblem(ask.error).fields.email === undefined && (
							<ProblemBanner error={ask.error} />
						)}
						<TextField
							label="Email address of your account"
							name="email"
							type="email"
							autoComplete="email"
							required
							error={ask.error === null ? undefined : findProblem(ask.error).fields.email}
						/>
						<Button variant="primary" type="submit" busy={ask.isPending} className="w-full">
							Send the link
						</Button>
					</form>
				)}
				<div className="flex justify-between text-xs">
					<Link to="/reset-password" className="text-accent-text hover:underline">
						I have a reset code
					</Link>
					<Link to="/login" className="text-accent-text hover:underline">
						Back to sign in
					</Link>
				</div>
			</div>
		</Frame>
	);
}

export function NewPasswordPage() {
	const { token } = newPassword.useSearch();
	const confirm = useAction((body: { token?: string; code?: string; new_password: string }) =>
		callRoute(recoveryRoutes.confirm, { body }),
	);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const form = new FormData(event.currentTarget);
		const proof = token === undefined ? { code: String(form.get("code")).trim() } : { token };
		confirm.mutate({ ...proof, new_password: String(form.get("password")) });
	};
	const fields = confirm.error === null ? {} : findProblem(confirm.error).fields;
	const elsewhere = confirm.error !== null && fields.new_password === undefined && fields.code === undefined;
	return (
		<Frame title="New password">
			{confirm.isSuccess ? (
				<div className="flex flex-col gap-4">
					<Banner
						tone="ok"
						title="Password changed."
						detail="All sessions have ended. Sign in with the new password."
					/>
					<ButtonLink variant="primary" to="/login">
						Sign in
					</ButtonLink>
				</div>
			) : (
				<form className="flex flex-col gap-3.5" onSubmit={submit}>
					{elsewhere && <ProblemBanner error={confirm.error} />}
					{token === undefined && (
						<TextField mono label="Reset code" name="code" autoComplete="one-time-code" required error={fields.code} />
					)}
					<PasswordField
						label="New password"
						name="password"
						autoComplete="new-password"
						required
						error={fields.new_password}
					/>
					<Button variant="primary" type="submit" busy={confirm.isPending} className="w-full">
						Set the password
					</Button>
					<Link to="/login" className="self-center text-accent-text text-xs hover:underline">
						Back to sign in
					</Link>
				</form>
			)}
		</Frame>
	);
}
