/** Asks whether a program on this computer may sign in as the person at the identity provider. */
import { useLocation } from "@tanstack/react-router";
import { oidcRoutes } from "@weft/contracts/browser";
import { callRoute, useAction, useAnswer } from "../../../platform/call.ts";
import { Button } from "../../../ui/button.tsx";
import { Banner, ProblemBanner } from "../../../ui/page.tsx";
import { Frame } from "./frame.tsx";

export function TerminalPage() {
	const request = useLocation({ select: ({ hash }) => new URLSearchParams(hash).get("request") ?? "" });
	return (
		<Frame title="Sign in a terminal">
			{request === "" ? (
				<Banner tone="bad" title="No sign-in of a terminal was begun here. Run weft login --browser." />
			) : (
				<Decision request={request} />
			)}
		</Frame>
	);
}

function Decision({ request }: { request: string }) {
	const { data, error } = useAnswer(
		oidcRoutes.terminal,
		{ body: { request } },
		{ staleTime: Number.POSITIVE_INFINITY },
	);
	const decide = useAction(
		(decision: "sign_in" | "cancel") => callRoute(oidcRoutes.decideTerminal, { body: { request, decision } }),
		{ onSuccess: ({ location: address }) => location.assign(address) },
	);
	const isBusy = decide.isPending || decide.isSuccess;
	if (error !== null) return <ProblemBanner error={error} />;
	if (data === undefined) return <p className="m-0 text-muted">Loading…</p>;
	return (
		<div className="flex flex-col gap-4">
			{decide.error !== null && <ProblemBanner error={decide.error} />}
			<p className="m-0">
				A terminal wants to sign in as <strong>{data.username}</strong>. Compare the code with the one that your
				terminal shows.
			</p>
			<p className="m-0 self-center font-mono font-semibold text-title">{data.code}</p>
			<p className="m-0 text-muted text-xs">
				The session goes to the program that listens on <span className="font-mono">{data.address}</span> of this
				computer. Cancel if you did not run <span className="font-mono">weft login</span> yourself, or if the codes
				differ.
			</p>
			<div className="grid grid-cols-2 gap-2">
				<Button disabled={isBusy} onClick={() => decide.mutate("cancel")}>
					Cancel
				</Button>
				<Button variant="primary" busy={isBusy} onClick={() => decide.mutate("sign_in")}>
					Sign in this terminal
				</Button>
			</div>
		</div>
	);
}
