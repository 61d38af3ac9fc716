/** Sign-in with a password or at an identity provider, then the second factor if there is one. */
import { getRouteApi, Link, useLocation, useRouter } from "@tanstack/react-router";
import type { DemoLogin } from "@weft/contracts";
import { authRoutes, OIDC_PROBLEMS, oidcRoutes } from "@weft/contracts/browser";
import { getPath } from "@weft/sdk";
import { ExternalLink, LogIn } from "lucide-react";
import { type FormEvent, type MouseEvent, useEffect, useRef, useState } from "react";
import { useAnswer } from "../../../platform/call.ts";
import { findProblem } from "../../../platform/problem.ts";
import { baseUrl, client, session } from "../../../platform/weft.ts";
import { Button, TextButton } from "../../../ui/button.tsx";
import { joinClasses } from "../../../ui/classes.ts";
import { CheckField, PasswordField, TextField } from "../../../ui/field.tsx";
import { Banner, ProblemBanner } from "../../../ui/page.tsx";
import { DemoLogins } from "./demo-logins.tsx";
import { Frame } from "./frame.tsx";

const route = getRouteApi("/outside/login");

type Way = "password" | "directory";

/** Why the user is asked to sign in again, by the reason of the session's end. */
const ENDINGS: Readonly<Record<string, string>> = {
	ended: "Your session has ended.",
	idle: "You were signed out after a period of inactivity.",
	"left elsewhere": "You signed out in another tab.",
	deactivated: "Your account is deactivated.",
};

export function LoginPage() {
	const { email_verified, next, oidc_error } = route.useSearch();
	const oidc = useLocation({ select: ({ hash }) => new URLSearchParams(hash).get("oidc") });
	const [mfaToken, setMfaToken] = useState<string | null>(null);
	const [notice, setNotice] = useState<string | null>(null);
	const router = useRouter();
	const state = session.state();
	const ending = state.status === "out" ? ENDINGS[state.why] : undefined;
	const done = () => void router.invalidate();
	const exchanged = useRef(false);
	useEffect(() => {
		if (oidc === null || exchanged.current) return;
		exchanged.current = true;
		const finish = async () => {
			try {
				const answer = await client.signInWithCode(oidc);
				// The code leaves the address and the browser's history.
				await router.navigate({ to: "/login", search: next === undefined ? {} : { next }, replace: true });
				if ("mfa_required" in answer) setMfaToken(answer.mfa_token);
				else await router.invalidate();
			} catch (failure) {
				const { title, detail, status } = findProblem(failure);
				setNotice(status === 401 ? detail : `${title}. ${detail}`);
				await router.navigate({ to: "/login", search: next === undefined ? {} : { next }, replace: true });
			}
		};
		void finish();
	}, [oidc, next, router]);
	return (
		<Frame title={mfaToken === null ? "Sign in" : "Two-factor authentication"}>
			<div className="flex flex-col gap-4">
				{email_verified && <Banner tone="ok" title="Your email address is verified." />}
				{ending !== undefined && mfaToken === null && (
					<Banner
						tone="info"
						title={ending}
						detail={
							state.status === "out" && state.why === "deactivated"
								? "Ask an administrator to activate it."
								: "Sign in again to continue."
						}
					/>
				)}
				{notice !== null && <Banner tone="warn" title={notice} />}
				{oidc_error !== undefined && notice === null && <Banner tone="bad" title={readProviderProblem(oidc_error)} />}
				{oidc !== null ? (
					<p className="m-0 text-muted">Signing in…</p>
				) : mfaToken === null ? (
					<Credentials onMfa={setMfaToken} onDone={done} />
				) : (
					<SecondFactor
						token={mfaToken}
						onDone={done}
						onBack={(why) => {
							setMfaToken(null);
							setNotice(why);
						}}
					/>
				)}
			</div>
		</Frame>
	);
}

function Credentials({ onMfa, onDone }: { onMfa(token: string): void; onDone(): void }) {
	const { data: ways } = useAnswer(authRoutes.health, undefined, { staleTime: Number.POSITIVE_INFINITY });
	const [way, setWay] = useState<Way>("password");
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState<unknown>(null);
	const signIn = async (form: HTMLFormElement, login?: Pick<DemoLogin, "username" | "password">) => {
		const data = new FormData(form);
		const { username, password } = login ?? {
			username: String(data.get("username")).trim(),
			password: String(data.get("password")),
		};
		setBusy(true);
		setError(null);
		try {
			session.remember(data.get("keep") === "on");
			const answer = await client.signIn(username, password, login ? "password" : way);
			if ("mfa_required" in answer) onMfa(answer.mfa_token);
			else onDone();
		} catch (failure) {
			setError(failure);
		} finally {
			setBusy(false);
		}
	};
	const form = useRef<HTMLFormElement>(null);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		void signIn(event.currentTarget);
	};
	const problem = error === null ? null : findProblem(error);
	return (
		<form ref={form} className="flex flex-col gap-3.5" onSubmit={submit}>
			{ways?.ldap_enabled && <Ways way={way} onChange={setWay} />}
			{problem &&
				(problem.status === 401 ? <Banner tone="bad" title={problem.detail} /> : <ProblemBanner error={error} />)}
			<TextField
				label={way === "directory" ? "Directory name" : "Username"}
				name="username"
				autoComplete="username"
				autoCapitalize="none"
				spellCheck={false}
				required
				autoFocus
			/>
			<PasswordField label="Password" name="password" autoComplete="current-password" required />
			<CheckField label="Keep me signed in on this device" name="keep" />
			<Button variant="primary" type="submit" icon={LogIn} busy={busy} className="w-full">
				Sign in
			</Button>
			{ways?.oidc_enabled && <ProviderButton label={ways.oidc_label ?? "single sign-on"} />}
			{way === "password" && (
				<Link to="/reset" className="self-center rounded-cell text-accent-text text-xs hover:underline">
					Forgot the password, or have a reset code?
				</Link>
			)}
			{ways?.demo_logins && (
				<DemoLogins
					logins={ways.demo_logins}
					busy={busy}
					onUse={(login) => {
						if (form.current !== null) void signIn(form.current, login);
					}}
				/>
			)}
		</form>
	);
}

const readProviderProblem = (word: string): string =>
	new Map(Object.entries(OIDC_PROBLEMS)).get(word) ?? "The sign-in at the identity provider failed. Sign in again.";

/** Leaves for the identity provider, and comes back to this page. */
function ProviderButton({ label }: { label: string }) {
	const { next } = route.useSearch();
	const leave = (event: MouseEvent<HTMLButtonElement>) => {
		const { form } = event.currentTarget;
		session.remember(form !== null && new FormData(form).get("keep") === "on");
		location.assign(baseUrl + getPath(oidcRoutes.start.path, {}, { next }));
	};
	return (
		<Button icon={ExternalLink} className="w-full" onClick={leave}>
			Sign in with {label}
		</Button>
	);
}

function Ways({ way, onChange }: { way: Way; onChange(way: Way): void }) {
	return (
		<fieldset className="m-0 grid grid-cols-2 rounded-control border border-line bg-sunken p-0.5">
			<legend className="sr-only">How to sign in</legend>
			{(["password", "directory"] as const).map((value) => (
				<label
					key={value}
					className={joinClasses(
						"grid h-6 cursor-pointer place-items-center rounded-cell has-focus-visible:outline-2 has-focus-visible:outline-accent-text",
						way === value ? "bg-surface font-medium ring-1 ring-line" : "text-muted",
					)}
				>
					<input type="radio" name="way" className="sr-only" checked={way === value} onChange={() => onChange(value)} />
					{value === "password" ? "Weft account" : "Directory"}
				</label>
			))}
		</fieldset>
	);
}

interface SecondFactorProps {
	readonly token: string;
	onDone(): void;
	/** With the reason, where the time is over. */
	onBack(why: string | null): void;
}

function SecondFactor({ token, onDone, onBack }: SecondFactorProps) {
	const [backup, setBackup] = useState(false);
	const [busy, setBusy] = useState(false);
	const [message, setMessage] = useState<string>();
	const submit = async (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const form = event.currentTarget;
		setBusy(true);
		setMessage(undefined);
		try {
			await client.finishSignIn(token, String(new FormData(form).get("code")));
			onDone();
		} catch (failure) {
			const { title, detail, status } = findProblem(failure);
			setMessage(status === 401 || status === 400 ? detail : `${title}. ${detail}`);
			form.querySelector("input")?.select();
		} finally {
			setBusy(false);
		}
	};
	return (
		<form className="flex flex-col gap-3.5" onSubmit={submit}>
			<TextField
				key={String(backup)}
				mono
				label={backup ? "Backup code" : "Authenticator code"}
				hint={backup ? "Each code works once." : "Six digits, renewed every 30 seconds."}
				error={message}
				name="code"
				autoComplete={backup ? "off" : "one-time-code"}
				inputMode={backup ? "text" : "numeric"}
				required
				autoFocus
			/>
			<Button variant="primary" type="submit" busy={busy} className="w-full">
				Continue
			</Button>
			<div className="flex justify-between text-xs">
				<TextButton onClick={() => setBackup(!backup)}>
					{backup ? "Use the authenticator" : "Use a backup code"}
				</TextButton>
				<TextButton onClick={() => onBack(null)}>Start over</TextButton>
			</div>
		</form>
	);
}
