/** Settings of sign-in through a directory or an identity provider. */

export interface Setting {
	readonly name: string;
	/** The value without the setting, in words where it is not a value. */
	readonly fallback: string;
	readonly meaning: string;
	/** A value that the service accepts, given with what it needs (`needs`). */
	readonly example: string;
	/** Whether the value is or may hold a secret: `NAME_FILE` may then name a file with it. */
	readonly isSecret?: true;
	/** Further settings without which the example is refused. */
	readonly needs?: Readonly<Record<string, string>>;
}

export interface SettingGroup {
	readonly title: string;
	readonly settings: readonly Setting[];
}

const LDAP_NEEDS = { WEFT_LDAP_URI: "ldaps://ldap.example.net", WEFT_LDAP_USER_BASE: "ou=people,dc=example,dc=net" };
export const OIDC_NEEDS = {
	WEFT_OIDC_ISSUER: "https://login.example.net/realm",
	WEFT_OIDC_CLIENT_ID: "weft",
	WEFT_OIDC_CLIENT_SECRET: "dPq0zj4b7Yt1",
	WEFT_FRONTEND_URL: "https://weft.example.net",
};
const buildLdapSetting = (
	name: string,
	fallback: string,
	meaning: string,
	example: string,
	needs = LDAP_NEEDS,
): Setting => ({
	name: `WEFT_LDAP_${name}`,
	fallback,
	meaning,
	example,
	needs,
});

const buildOidcSetting = (name: string, fallback: string, meaning: string, example: string): Setting => ({
	name: `WEFT_OIDC_${name}`,
	fallback,
	meaning,
	example,
	needs: OIDC_NEEDS,
});

export const SIGN_IN_SETTINGS: readonly SettingGroup[] = [
	{
		title: "Directory (LDAP)",
		settings: [
			buildLdapSetting("URI", "unset: no directory", "Directory to sign in with", LDAP_NEEDS.WEFT_LDAP_URI),
			buildLdapSetting("START_TLS", "`off`", "`on` requires STARTTLS on `ldap://` before anything is sent", "on", {
				...LDAP_NEEDS,
				WEFT_LDAP_URI: "ldap://ldap.example.net:389",
			}),
			buildLdapSetting("CA_FILE", "the system's", "PEM file with the certificates to trust", "/etc/weft/ca.pem"),
			{
				...buildLdapSetting("BIND_DN", "unset: anonymous", "Account for searches", "cn=weft,dc=example,dc=net"),
				needs: { ...LDAP_NEEDS, WEFT_LDAP_BIND_PASSWORD: "password" },
			},
			{
				...buildLdapSetting("BIND_PASSWORD", "unset: anonymous", "The account's password", "password"),
				isSecret: true,
				needs: { ...LDAP_NEEDS, WEFT_LDAP_BIND_DN: "cn=weft,dc=example,dc=net" },
			},
			buildLdapSetting("USER_BASE", "required", "Search base of users", LDAP_NEEDS.WEFT_LDAP_USER_BASE),
			buildLdapSetting("USER_FILTER", "`(uid={username})`", "Search filter of users", "(sAMAccountName={username})"),
			buildLdapSetting("GROUP_BASE", "unset: no groups", "Search base of groups", "ou=groups,dc=example,dc=net"),
			buildLdapSetting(
				"GROUP_FILTER",
				"`(\\|(member={dn})(uniqueMember={dn})(memberUid={username}))`",
				"Search filter of groups",
				"(member={dn})",
			),
			buildLdapSetting(
				"ATTRIBUTES",
				"`username=uid,email=mail,first_name=givenName,last_name=sn`",
				"Attributes of a user (Active Directory: `username=sAMAccountName`)",
				"username=sAMAccountName",
			),
			buildLdapSetting(
				"GROUP_MAP",
				"`{}`",
				"JSON from directory groups, by DN or common name, to groups here. Each sign-in adds the user to, and removes " +
					"the user from, the groups named in it",
				'{"cn=net,ou=groups,dc=example,dc=net": ["Editor"]}',
			),
			buildLdapSetting(
				"ADMIN_GROUP",
				"unset",
				"Directory group whose members are in `Admin`; no other directory user is",
				"cn=weft-admins,ou=groups,dc=example,dc=net",
			),
		],
	},
	{
		title: "Single sign-on (OpenID Connect)",
		settings: [
			buildOidcSetting(
				"ISSUER",
				"unset: none",
				"Identity provider to sign in at; requires `WEFT_FRONTEND_URL`. See [single sign-on](single-sign-on.md)",
				OIDC_NEEDS.WEFT_OIDC_ISSUER,
			),
			buildOidcSetting("CLIENT_ID", "required", "Weft's name as a registered client", OIDC_NEEDS.WEFT_OIDC_CLIENT_ID),
			{
				...buildOidcSetting("CLIENT_SECRET", "required", "The client's secret", OIDC_NEEDS.WEFT_OIDC_CLIENT_SECRET),
				isSecret: true,
			},
			buildOidcSetting(
				"SCOPES",
				"`openid profile email`",
				"Scopes to ask for, with spaces between them",
				"openid profile email groups",
			),
			buildOidcSetting(
				"USERNAME_CLAIM",
				"`preferred_username`",
				"Claim with the username, of the ID token or the user info",
				"upn",
			),
			buildOidcSetting("GROUPS_CLAIM", "`groups`", "Claim with the groups, of the ID token or the user info", "roles"),
			buildOidcSetting(
				"GROUP_MAP",
				"`{}`",
				"JSON from the provider's groups to groups here, as `WEFT_LDAP_GROUP_MAP`",
				'{"network": ["Editor"]}',
			),
			buildOidcSetting(
				"ADMIN_GROUP",
				"unset",
				"The provider's group whose members are in `Admin`; no other user of the provider is",
				"weft-admins",
			),
			buildOidcSetting(
				"LABEL",
				"`single sign-on`",
				'Name of the provider on the sign-in page: "Sign in with …"',
				"Example ID",
			),
		],
	},
];
