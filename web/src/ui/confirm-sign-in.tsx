/** Confirms who is signed in, before an action that needs a recent sign-in. */
import { authRoutes, oidcRoutes } from "@weft/contracts/browser";
import { getPath } from "@weft/sdk";
import { useState } from "react";
import { callRoute, useAction, useAnswer } from "../platform/call.ts";
import { findProblem } from "../platform/problem.ts";
import { useProfile } from "../platform/profile.ts";
import { baseUrl } from "../platform/weft.ts";
import { Button } from "./button.tsx";
import { PasswordField, TextField } from "./field.tsx";
import { Banner, ProblemBanner } from "./page.tsx";

/** @param onConfirmed repeats the action */
export function ConfirmSignIn({ onConfirmed }: { onConfirmed(): void }) {
	const profile = useProfile();
	const ways = useAnswer(authRoutes.health).data;
	const [password, setPassword] = useState("");
	const [code, setCode] = useState("");
	const confirm = useAction(
		() => callRoute(authRoutes.reauthenticate, { body: code === "" ? { password } : { code } }),
		{
			onSuccess: () => onConfirmed(),
		},
	);
	const fields = confirm.error === null ? {} : findProblem(confirm.error).fields;
	const next = location.pathname + location.search;
	return (
		<div className="flex flex-col gap-3 rounded-control border border-line p-3">
			<Banner
				tone="info"
				title="Confirm that it is you."
				detail="Your last sign-in is more than 15 minutes ago. What you have entered is kept."
			/>
			{confirm.error !== null && Object.keys(fields).length === 0 && <ProblemBanner error={confirm.error} />}
			<PasswordField
				label="Your password"
				autoComplete="current-password"
				value={password}
				error={fields.password}
				onChange={(event) => setPassword(event.target.value)}
			/>
			{profile?.mfa_enabled && (
				<TextField
					label="Or a code of your second factor"
					autoComplete="one-time-code"
					value={code}
					error={fields.code}
					onChange={(event) => setCode(event.target.value)}
				/>
			)}
			<div className="flex flex-wrap gap-2">
				<Button
					variant="primary"
					disabled={password === "" && code === ""}
					busy={confirm.isPending}
					onClick={() => confirm.mutate(undefined)}
				>
					Confirm and continue
				</Button>
				{ways?.oidc_enabled && (
					<Button
						onClick={() => location.assign(baseUrl + getPath(oidcRoutes.start.path, {}, { next, prompt: "login" }))}
					>
						Sign in with {ways.oidc_label ?? "single sign-on"} again
					</Button>
				)}
			</div>
		</div>
	);
}
