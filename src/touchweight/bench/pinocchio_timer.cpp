// Times one Pinocchio algorithm (-DALGORITHM_RNEA, _CRBA or _ABA) in each convention, from headers alone.
//
//   pinocchio_timer TABLE STATES RESULTS COUNT REPEAT
//
// TABLE   text: the number of joints, then one joint a line:
//         parent kind axis[3] R[9, by rows] p[3] mass com[3] I[6]
//         (kind: R or P; I: Ixx Iyy Izz Ixy Ixz Iyz about the centre of mass; parent 0 is the ground).
// STATES  COUNT rows of doubles q, v, u; u is the acceleration for RNEA and the force for ABA.
// RESULTS every result of each convention in turn, written for checking. Times go to stdout as JSON.
#include <cstddef>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "pinocchio/multibody.hpp"
#if defined(ALGORITHM_RNEA)
#include "pinocchio/algorithm/rnea.hpp"
#elif defined(ALGORITHM_CRBA)
#include "pinocchio/algorithm/crba.hpp"
#elif defined(ALGORITHM_ABA)
#include "pinocchio/algorithm/aba.hpp"
#else
#error "define ALGORITHM_RNEA, ALGORITHM_CRBA or ALGORITHM_ABA"
#endif

#include "state_timer.h"

using State = Eigen::Map<const Eigen::VectorXd>;

static pinocchio::JointModel joint_of(const std::string &kind, const Eigen::Vector3d &axis) {
    const bool revolute = kind == "R";
    if (axis == Eigen::Vector3d::UnitX())
        return revolute ? pinocchio::JointModel(pinocchio::JointModelRX()) : pinocchio::JointModelPX();
    if (axis == Eigen::Vector3d::UnitY())
        return revolute ? pinocchio::JointModel(pinocchio::JointModelRY()) : pinocchio::JointModelPY();
    if (axis == Eigen::Vector3d::UnitZ())
        return revolute ? pinocchio::JointModel(pinocchio::JointModelRZ()) : pinocchio::JointModelPZ();
    return revolute ? pinocchio::JointModel(pinocchio::JointModelRevoluteUnaligned(axis))
                    : pinocchio::JointModelPrismaticUnaligned(axis);
}

static pinocchio::Model read_table(const char *path) {
    std::ifstream table(path);
    std::size_t joints = 0;
    if (!(table >> joints)) timer_fail("the joint table cannot be read");
    pinocchio::Model model;
    for (std::size_t i = 0; i < joints; ++i) {
        std::size_t parent;
        std::string kind;
        Eigen::Vector3d axis, p, com;
        Eigen::Matrix3d R, I;
        double mass, xx, yy, zz, xy, xz, yz;
        table >> parent >> kind >> axis.x() >> axis.y() >> axis.z();
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column) table >> R(row, column);
        table >> p.x() >> p.y() >> p.z() >> mass >> com.x() >> com.y() >> com.z();
        table >> xx >> yy >> zz >> xy >> xz >> yz;
        if (!table) timer_fail("the joint table ends too early");
        I << xx, xy, xz, xy, yy, yz, xz, yz, zz;
        const auto joint =
            model.addJoint(parent, joint_of(kind, axis), pinocchio::SE3(R, p), "joint" + std::to_string(i));
        model.appendBodyToJoint(joint, pinocchio::Inertia(mass, com, I), pinocchio::SE3::Identity());
    }
    return model;
}

struct Context {
    const pinocchio::Model &model;
    pinocchio::Data data;
};

struct Variant {
    const char *name;
    timed_call call;
};

#if defined(ALGORITHM_RNEA)
static void call_rnea(void *context, const double *state) {
    auto &c = *static_cast<Context *>(context);
    const auto n = c.model.nv;
    const State q(state, n), v(state + n, n), a(state + 2 * n, n);
    pinocchio::rnea(c.model, c.data, q, v, a);
}
static const std::vector<Variant> variants = {{"", call_rnea}};
static Eigen::VectorXd collect(const Context &c) { return c.data.tau; }

#elif defined(ALGORITHM_CRBA)
template <pinocchio::Convention convention>
static void call_crba(void *context, const double *state) {
    auto &c = *static_cast<Context *>(context);
    pinocchio::crba(c.model, c.data, State(state, c.model.nv), convention);
}
static const std::vector<Variant> variants = {{"world", call_crba<pinocchio::Convention::WORLD>},
                                              {"local", call_crba<pinocchio::Convention::LOCAL>}};
static Eigen::VectorXd collect(const Context &c) {
    const Eigen::MatrixXd M = c.data.M.template selfadjointView<Eigen::Upper>();
    return Eigen::Map<const Eigen::VectorXd>(M.data(), M.size());
}

#else
template <pinocchio::Convention convention>
static void call_aba(void *context, const double *state) {
    auto &c = *static_cast<Context *>(context);
    const auto n = c.model.nv;
    const State q(state, n), v(state + n, n), tau(state + 2 * n, n);
    pinocchio::aba(c.model, c.data, q, v, tau, convention);
}
static const std::vector<Variant> variants = {{"world", call_aba<pinocchio::Convention::WORLD>},
                                              {"local", call_aba<pinocchio::Convention::LOCAL>}};
static Eigen::VectorXd collect(const Context &c) { return c.data.ddq; }
#endif

int main(int argc, char **argv) {
    if (argc != 6) timer_fail("usage: pinocchio_timer TABLE STATES RESULTS COUNT REPEAT");
    const pinocchio::Model model = read_table(argv[1]);
    const std::size_t count = std::stoul(argv[4]), repeat = std::stoul(argv[5]);
    const std::size_t width = 3 * std::size_t(model.nv);
    const double *states = timer_read(argv[2], count * width);
    FILE *results = fopen(argv[3], "wb");
    if (!results) timer_fail("the results cannot be written");

    std::cout << "[";
    for (std::size_t k = 0; k < variants.size(); ++k) {
        Context context{model, pinocchio::Data(model)};
        for (std::size_t i = 0; i < count; ++i) {
            variants[k].call(&context, states + i * width);
            const Eigen::VectorXd result = collect(context);
            timer_write(results, result.data(), std::size_t(result.size()));
        }
        const timing t = time_states(variants[k].call, &context, states, count, width, repeat);
        std::cout << (k ? ", " : "") << "{\"variant\": \"" << variants[k].name << "\", "
                  << "\"best_ns\": " << t.best_ns << ", \"median_ns\": " << t.median_ns << "}";
    }
    std::cout << "]" << std::endl;
    return fclose(results);
}
