/** Changes on a simulated fabric, as a person at its controller makes them. */
import type { RunningController } from "@weft/lab";

/** @throws Error with the controller's answer if it refuses the sign-in or the change */
export async function writeTenant(
	{ url, username, password }: RunningController,
	attributes: object,
	children: object[] = [],
): Promise<void> {
	const post = async (path: string, body: object, cookie = "") => {
		const answer = await fetch(`${url}/api/${path}.json`, {
			method: "POST",
			headers: { cookie },
			body: JSON.stringify(body),
		});
		if (!answer.ok) throw new Error(await answer.text());
		return answer.json();
	};
	const { imdata } = (await post("aaaLogin", { aaaUser: { attributes: { name: username, pwd: password } } })) as {
		imdata: [{ aaaLogin: { attributes: { token: string } } }];
	};
	const cookie = `APIC-cookie=${imdata[0].aaaLogin.attributes.token}`;
	await post("mo/uni", { fvTenant: { attributes, children } }, cookie);
}

export const writeDomain = (lab: RunningController, descr: string): Promise<void> =>
	writeTenant(lab, { name: "Twin" }, [{ fvBD: { attributes: { name: "web", descr } } }]);
