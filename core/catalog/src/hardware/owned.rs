//! What an hour of a GPU costs whoever owns it.

/// Hours of a year of 365.25 days.
pub const HOURS_OF_A_YEAR: f64 = 8766.0;

/// What a GPU of one's own was bought for, how long and how much it works, and what its power costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Owned {
    /// Purchase price of one GPU with its share of the machine, in US dollars.
    pub usd_per_gpu: f64,
    /// Years over which it is written off.
    pub years: f64,
    /// Share of all hours in which it works, above 0 and at most 1.
    pub utilization: f64,
    /// Mean power of one GPU with its share of the machine while it works, in watts.
    pub watts: f64,
    /// Rated power of the card in watts, where `watts` is taken from that; absent where the question states `watts`.
    pub rated_w: Option<f64>,
    /// Power of the site over that of its computers.
    pub pue: f64,
    /// Price of a kilowatt-hour in US dollars.
    pub usd_per_kwh: f64,
}

impl Owned {
    /// US dollars of the purchase price that fall to an hour in which the GPU works: written off in equal parts.
    #[must_use]
    pub fn usd_of_machine(&self) -> f64 {
        self.usd_per_gpu / (self.years * HOURS_OF_A_YEAR * self.utilization)
    }

    /// US dollars of the power that the GPU draws in an hour in which it works.
    #[must_use]
    pub fn usd_of_power(&self) -> f64 {
        self.watts / 1000.0 * self.pue * self.usd_per_kwh
    }

    /// What an hour of a GPU of one's own costs: the purchase price of one GPU with its share of the machine, over the hours in
    /// which it works until it is written off, and the power of such an hour. What is not stated is usual: five years
    /// (Amazon's for servers from 2025 on, for the pace of AI), 83 % of all hours (Meta's RSC-1, arXiv:2410.21680), the power of
    /// a node as it is rated (arXiv:2412.08602) at what it draws of that in training (arXiv:2506.14551), and the price that
    /// industry pays in the United States. Space, people, interest and the power of hours without work are not in it.
    ///
    /// ```
    /// use shardwise_core::hardware::Owned;
    /// let own = Owned { usd_per_gpu: 8766.0, years: 5.0, utilization: 0.5, watts: 500.0, rated_w: None, pue: 1.5, usd_per_kwh: 0.08 };
    /// assert_eq!((own.usd_of_machine(), own.usd_of_power()), (0.4, 0.06));
    /// assert_eq!(own.usd_per_gpu_hour(), 0.46);
    /// ```
    #[must_use]
    pub fn usd_per_gpu_hour(&self) -> f64 {
        self.usd_of_machine() + self.usd_of_power()
    }
}
